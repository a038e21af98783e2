#!/usr/bin/env python3
"""Hostile tables: more than two thousand inputs, each with the outcome that it must have.

    tests/hostile/tables.py build/ggpm [--quick] [--only TEXT] [--jobs N] [--list]

An outcome is an answer (exit code 0, and then predictions whose quantiles are finite, in order and
inside the domain of the outputs), a refusal (one of the named exit codes, one sentence, nothing on
standard output, no file), or, where doubles may not reach, either of them with code 3 or 4. Never a
signal, a hang, or a number that is none: each command has 20 s of processor time and 4 GB.
Families come from `ggpm likelihoods --json`, so a new one is attacked by the line that adds it.
"""
import argparse
import collections
import concurrent.futures
import csv
import io
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import zlib

ANSWER = {0}
EITHER = {0, 3, 4}  # doubles may not reach: an answer, or a sentence
USE, DATA = {2}, {3}
SECONDS, BYTES = 20, 4 << 30
QUICK = 110

Case = collections.namedtuple("Case", "name table words outcome domain predict")


def table(rows, header="x,y"):
    return header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


def column(y):
    return table(list(enumerate(y, 1)))


# ---- extremes of y: every family and inference

REACHED, BEYOND = "reached", "beyond"
OUTPUTS = {
    "real": [("zeros", REACHED, [0] * 6), ("equal", REACHED, [2.5] * 6), ("plain", REACHED, [1, 3, 2, 5, 4, 6]),
             ("outlier", REACHED, [0.1, -0.2, 1e6, 0.1, 0, 0.3]), ("line", REACHED, [1, 2, 3, 4, 5, 6]),
             ("close", REACHED, [1 + k * 1e-12 for k in range(6)]), ("large", BEYOND, [1e150, -1e150, 1e149, 0, 1, 2]),
             ("tiny", BEYOND, [1e-300, -1e-300, 2e-300, 0, 1e-301, 3e-300]), ("end", BEYOND, [1e308, -1e308, 0, 1, 2, 3])],
    "positive": [("equal", REACHED, [2.5] * 6), ("plain", REACHED, [1, 3, 2, 5, 4, 6]),
                 ("wide", REACHED, [1e-6, 1e6, 1, 2, 1e3, 1e-3]), ("ends", BEYOND, [1e-300, 1e300, 1, 2, 1e-300, 3]),
                 ("denormal", BEYOND, [5e-324, 1, 2, 3, 4, 5]), ("top", BEYOND, [1e308, 1, 2, 3, 4, 5]),
                 ("close", REACHED, [1 + k * 1e-12 for k in range(6)])],
    "count": [("zeros", REACHED, [0] * 6), ("plain", REACHED, [1, 0, 2, 5, 4, 6]), ("one", REACHED, [0, 0, 0, 0, 0, 1]),
              ("wide", EITHER, [0, 1, 1000, 10**6, 10**9, 3]), ("large", REACHED, [10**6 + k for k in range(6)]),
              ("last", BEYOND, [2**53, 2**53 - 1, 2**52, 1, 0, 5]), ("spike", REACHED, [0, 0, 10**5, 0, 0, 0])],
    "fraction_of_trials": [("none", REACHED, [(0, 9)] * 6), ("all", REACHED, [(9, 9)] * 6), ("single", REACHED, [(k % 2, 1) for k in range(6)]),
                           ("mixed", REACHED, [(0, 5), (5, 5), (1, 10**6), (10**6, 10**6), (3, 7), (1, 2)]),
                           ("enormous", BEYOND, [(10**15 + k, 2 * 10**15) for k in range(6)])],
    "binary": [("zeros", REACHED, [0] * 6), ("ones", REACHED, [1] * 6), ("separable", REACHED, [0, 0, 0, 1, 1, 1]),
               ("alternating", REACHED, [0, 1, 0, 1, 0, 1])],
    "proportion": [("plain", REACHED, [0.2, 0.4, 0.6, 0.5, 0.3, 0.9]), ("equal", REACHED, [0.5] * 6),
                   ("low", BEYOND, [1e-300, 1e-9, 0.5, 0.2, 1e-3, 0.9]), ("high", BEYOND, [1 - 1.2e-16, 1 - 1e-9, 0.5, 0.9, 0.3, 0.7])],
    "nonnegative": [("zeros", EITHER, [0] * 6), ("plain", REACHED, [0, 1.5, 0, 2.5, 3, 0]), ("wide", BEYOND, [0, 1e-6, 1e6, 1, 0, 2])],
    "ordinal": [("two", REACHED, [1, 2, 1, 2, 1, 2]), ("three", REACHED, [1, 2, 3, 1, 2, 3]), ("one level", EITHER | {2}, [1] * 6),
                ("ordered", REACHED, [1, 1, 2, 2, 3, 3])],
}
WRONG = {
    "positive": [0, -1, "nan", "inf", ""], "count": [-1, 0.5, "3.0000001", 2**53 + 2, "nan"], "proportion": [0, 1, -0.1, 1.5],
    "binary": [2, 0.5, -2], "nonnegative": [-1, "inf"], "real": ["nan", "inf", "-inf", ""], "ordinal": [0, 1.5, -1],
}
INFERENCES = ["laplace", "ep", "kld", "taylor"]


def outputs(families):
    for family in families:
        name, domain = family["name"], family["domain"]
        for label, reach, y in OUTPUTS.get(domain, []):
            trials = domain == "fraction_of_trials"
            text = table([(i, k, n) for i, (k, n) in enumerate(y, 1)], "x,y,n") if trials else column(y)
            more = ["--trials", "n", "--inputs", "x"] if trials else []
            for inference in INFERENCES:
                outcome = reach if isinstance(reach, set) else ANSWER if reach == REACHED else EITHER
                if inference in ("laplace", "taylor") and name == "laplace":
                    outcome = USE  # it has no curvature, which is said
                if inference == "ep" and name == "softmax":
                    outcome = USE  # one latent function a class: laplace or kld
                if inference == "taylor":
                    outcome = outcome | {2, 3, 4}  # without an expansion point it is refused
                yield Case(f"output/{name}/{label}/{inference}", text,
                           ["--likelihood", name, "--inference", inference] + more, outcome, domain, None)
        for bad in WRONG.get(domain, []):
            y = [1, 1, 1, bad, 1] if domain in ("count", "binary", "ordinal") else [0.5, 0.5, 0.5, bad, 0.5]
            yield Case(f"output/{name}/wrong {bad!r}", column(y), ["--likelihood", name], DATA, domain, None)
        if domain == "fraction_of_trials":
            for k, n in [(3, 2), (1, 0), (1, 1.5), (-1, 4), (0.5, 3), (1, "nan"), (1, -3)]:
                yield Case(f"output/{name}/wrong {k} of {n}", table([(1, 1, 2), (2, k, n), (3, 0, 2)], "x,y,n"),
                           ["--likelihood", name, "--trials", "n", "--inputs", "x"], DATA, domain, None)


# ---- links and dispersions

def links(families):
    for family in families:
        y = {"fraction_of_trials": None}.get(family["domain"], OUTPUTS.get(family["domain"], [("", "", None)])[0][2])
        for label, reach, y in OUTPUTS.get(family["domain"], [])[:3]:
            if family["domain"] == "fraction_of_trials":
                text, more = table([(i, k, n) for i, (k, n) in enumerate(y, 1)], "x,y,n"), ["--trials", "n", "--inputs", "x"]
            else:
                text, more = column(y), []
            outcome = reach if isinstance(reach, set) else ANSWER if reach == REACHED else EITHER
            for link in family["links"][1:]:
                yield Case(f"link/{family['name']}/{link}/{label}", text, ["--likelihood", family["name"], "--link", link] + more,
                           outcome | EITHER, family["domain"], None)
            if family.get("dispersion", "none") != "none" and label == OUTPUTS[family["domain"]][1][0]:
                for phi in ["1e-8", "1e-3", "1e8", "fixed(1e-6)", "fixed(1e5)"]:
                    yield Case(f"dispersion/{family['name']}/{phi}", text,
                               ["--likelihood", family["name"], "--dispersion", phi] + more, EITHER | {2}, family["domain"], None)
                for phi in ["0", "-1", "nan", "1e-320", "1e300", "inf", "", "fixed(0)", "fixed(", "x"]:
                    yield Case(f"dispersion/{family['name']}/wrong {phi}", text,
                               ["--likelihood", family["name"], "--dispersion", phi] + more, USE, family["domain"], None)


# ---- shapes of X

def inputs():
    counts, reals = [3, 0, 4, 1, 7, 2], [0.3, -1, 0.4, 1, 0.7, 2]
    shapes = {
        "one row": [[1]], "two rows": [[1], [2]], "constant": [[5]] * 6, "equal rows": [[2, 3]] * 6,
        "close": [[k * 1e-10] for k in range(6)], "far": [[k * 1e150] for k in range(6)], "small": [[k * 1e-150] for k in range(6)],
        "denormal": [[k * 5e-324] for k in range(6)], "both ends": [[1e308], [-1e308], [0], [1], [2], [3]],
        "offset": [[1e15 + k] for k in range(6)], "collinear": [[k, 2 * k] for k in range(6)], "equal columns": [[k, k] for k in range(6)],
        "wide": [[(k * j) % 7 for j in range(40)] for k in range(6)], "text": [[c] for c in "abcabc"],
        "one level": [["a"]] * 6, "all levels": [[c] for c in "abcdef"], "mixed": [[k, c] for k, c in enumerate("aabbcc")],
        "dates": [[f"2024-01-0{k + 1}"] for k in range(6)], "logicals": [[k % 2 == 0] for k in range(6)],
        "negative zero": [["-0.0"], ["0.0"], [1], [2], [3], [4]], "spike": [[0], [0], [0], [0], [0], [1e9]],
    }
    for label, X in shapes.items():
        header = ",".join(f"x{j}" for j in range(len(X[0]))) + ",y"
        for likelihood, y, domain in [("poisson", counts, "count"), ("gaussian", reals, "real"), ("student-t", reals, "real"), ("bernoulli", [0, 1, 1, 0, 1, 0], "binary")]:
            for more in [[], ["--no-standardize"]]:
                outcome = EITHER if more or label in ("denormal", "both ends") else ANSWER
                yield Case(f"input/{label}/{likelihood}{''.join(more)}", table([row + [v] for row, v in zip(X, y)], header),
                           ["--likelihood", likelihood] + more, outcome, domain, None)
    for bad in ["nan", "inf", "-inf", "", "1e999", "NA"]:
        yield Case(f"input/wrong {bad!r}", table([(1, 2), (bad, 3), (3, 1)]), ["--likelihood", "poisson"], DATA, "count", None)


# ---- hyperparameters, as they are given

def hyperparameters():
    y = column([3, 0, 4, 1, 7, 2])
    for likelihood in ["poisson", "gaussian", "gamma-shape", "student-t"]:
        text = column([3, 1, 4, 1, 7, 2]) if likelihood == "gamma-shape" else y
        domain = {"poisson": "count", "gamma-shape": "positive"}.get(likelihood, "real")
        for value in ["1e-300", "1e-100", "1e-12", "1e12", "1e90", "1e300"]:
            for kernel in [f"rbf(variance={value})", f"rbf(lengthscale={value})", f"linear({value})", f"white({value}) + rbf", f"matern32(variance={value}, lengthscale={value})",
                           f"rq(alpha={value})", f"periodic(period={value})", f"constant({value})"]:
                yield Case(f"kernel/{likelihood}/{kernel}", text, ["--likelihood", likelihood, "--no-optimize", "--kernel", kernel], EITHER | {2}, domain, None)
    for kernel in ["", "rbf(", "rbf)", "rbf(variance=0)", "rbf(variance=-1)", "rbf(lengthscale=nan)", "rbf(lengthscale=inf)", "rbf(lengthscale=0)", "rbf(1,2,3,4,5)",
                   "rbf + ", "+ rbf", "rbf * * rbf", "nothing", "rbf(columns=[z])", "rbf(lengthscale=[1,2,3])", "rbf(variance=1e999)", "rbf(variance=1,variance=2)",
                   "(" * 5000, "rbf(" * 300, "rbf+" * 3000 + "rbf", "rbf(variance=--1)", "rbf(variance=0x10)", "rbf\x00", "rbf(columns=[])", "poly(degree=-1)", "poly(degree=1.5)",
                   "poly(degree=1e9)", "\u0661", "rbf(variance=fixed(0))", "rbf(variance=fixed())", "periodic(period=0)", "rq(alpha=0)", "sum(rbf)", "rbf(rbf)"]:
        if "\x00" not in kernel:
            yield Case(f"kernel/wrong {kernel[:30]}", y, ["--likelihood", "poisson", "--kernel", kernel], USE, "count", None)
    for mean in ["constant(1e300)", "constant(-1e5)", "constant(700)", "linear"]:
        yield Case(f"mean/{mean}", y, ["--likelihood", "poisson", "--no-optimize", "--mean", mean], EITHER | {2}, "count", None)
    for mean in ["", "constant(", "constant(nan)", "quadratic", "linear(", "zero(1)", "constant(1e999)"]:
        yield Case(f"mean/wrong {mean}", y, ["--likelihood", "poisson", "--mean", mean], USE, "count", None)


# ---- columns with a role

def roles():
    def rows(values, y=(3, 1, 4, 1, 7)):
        return table([(i, v, b) for i, (v, b) in enumerate(zip(y, values), 1)], "x,y,r")
    for role, good, careful, bad in [
        ("offset", [[0] * 5, [1, -1, 0, 2, -2]], [[700, -700, 0, 0, 0], [1e5, 0, 0, 0, 0], [-1e300, 0, 0, 0, 0]], ["nan", "inf", "", "a"]),
        ("exposure", [[1] * 5, [0.1, 10, 1, 2, 5]], [[1e-300, 1, 1, 1, 1], [1e300, 1, 1, 1, 1], [1e-10, 1e10, 1, 1, 1]], ["0", "-1", "nan", "inf", "", "a"]),
        ("weights", [[1] * 5, [0.5, 3, 1, 1, 2]], [[1e-300, 1, 1, 1, 1], [1e12, 1, 1, 1, 1]], ["-1", "nan", "inf", "", "a"]),
    ]:
        for likelihood in ["poisson", "negative-binomial", "linear-poisson", "com-poisson"]:
            for k, values in enumerate(good):
                yield Case(f"role/{role}/{likelihood}/good {k}", rows(values), ["--likelihood", likelihood, f"--{role}", "r", "--inputs", "x"], ANSWER, "count", None)
            for k, values in enumerate(careful):
                yield Case(f"role/{role}/{likelihood}/extreme {k}", rows(values), ["--likelihood", likelihood, f"--{role}", "r", "--inputs", "x"], EITHER, "count", None)
        for value in bad:
            yield Case(f"role/{role}/wrong {value!r}", rows([1, 1, value, 1, 1]), ["--likelihood", "poisson", f"--{role}", "r", "--inputs", "x"], DATA, "count", None)
    for likelihood in ["weibull", "log-normal", "log-logistic", "exponential", "gaussian", "student-t"]:
        domain = "real" if likelihood in ("gaussian", "student-t") else "positive"
        for label, values in [("none", [0] * 5), ("all right", [1] * 5), ("all left", [-1] * 5), ("mixed", [0, 1, -1, 0, 1])]:
            for inference in ["laplace", "ep", "kld"]:
                yield Case(f"role/censored/{likelihood}/{label}/{inference}", rows(values), ["--likelihood", likelihood, "--inference", inference, "--censored", "r", "--inputs", "x"], EITHER, domain, None)
        for label, values in [("narrow", [3 + 1e-12, 1 + 1e-12, "", "", ""]), ("wide", [1e300, 1e300, "", "", ""])]:
            yield Case(f"role/upper/{likelihood}/{label}", rows(values), ["--likelihood", likelihood, "--upper", "r", "--inputs", "x"], EITHER, domain, None)
    for value in [2, 0.5, "nan", "a"]:
        yield Case(f"role/censored/wrong {value}", rows([0, 0, value, 0, 0]), ["--likelihood", "weibull", "--censored", "r", "--inputs", "x"], DATA, "positive", None)
    yield Case("role/upper/no end", rows(["", "", "inf", "", ""]), ["--likelihood", "weibull", "--upper", "r", "--inputs", "x"], ANSWER, "positive", None)
    for value in [1, -5, "a"]:
        yield Case(f"role/upper/wrong {value}", rows(["", "", value, "", ""]), ["--likelihood", "weibull", "--upper", "r", "--inputs", "x"], DATA, "positive", None)
    yield Case("role/censored/not taken", rows([0, 1, 0, 0, 0]), ["--likelihood", "poisson", "--censored", "r", "--inputs", "x"], DATA, "count", None)


# ---- bytes of a table

def encodings():
    plain = "x,y\n1,3\n2,0\n3,4\n"
    good = {
        "bom": "\ufeff" + plain, "crlf": plain.replace("\n", "\r\n"), "cr": plain.replace("\n", "\r"), "tab": plain.replace(",", "\t"),
        "semicolon": plain.replace(",", ";"), "no last newline": plain[:-1], "quoted": 'x,y\n"1","3"\n"2","0"\n"3","4"\n',
        "empty lines": "x,y\n\n1,3\n\n2,0\n3,4\n\n", "spaces": "x, y\n1, 3\n2, 0\n3, 4\n", "plus": "x,y\n+1,3\n+2,0\n3,4\n", "exponent": "x,y\n1e0,3\n2E+0,0\n3,4\n",
        "whole as real": "x,y\n1,3.0\n2,0\n3,4.000\n", "quoted name": '"a,b",y\n1,3\n2,0\n3,4\n', "other script": "\u0445,y\n1,3\n2,0\n3,4\n",
        "long": "x,y\n" + "".join(f"{k},{k % 5}\n" for k in range(300)), "newline in a cell": 's,y\n"a\nb",3\nc,0\nc,4\n',
    }
    for label, text in good.items():
        yield Case(f"bytes/{label}", text, ["--likelihood", "poisson"], ANSWER if label != "spaces" else {0, 3}, "count", None)
    bad = {
        "nothing": b"", "newline": b"\n", "header": b"x,y\n", "one column": b"y\n1\n2\n", "ragged": b"x,y\n1,3\n2\n3,4\n", "too long": b"x,y\n1,3\n2,0,9\n3,4\n",
        "nul": b"x,y\n1,3\n2,\x000\n3,4\n", "invalid utf-8": b"x\xff,y\n1,3\n2,0\n3,4\n", "open quote": b'x,y\n"1,3\n2,0\n3,4\n', "same names": b"x,x,y\n1,2,3\n2,2,0\n",
        "decimal comma": b"x;y\n1,5;3\n2,5;0\n3,1;4\n", "thousands": b'x,y\n"1,000",3\n"2,000",0\n"3,000",4\n', "hex": b"x,y\n0x1p3,3\n0x2,0\n0x3,4\n",
        "infinite": b"x,y\n1,1e999\n2,0\n3,4\n", "arabic digits": "x,y\n\u0661,3\n\u0662,0\n\u0663,4\n".encode(), "2^53+1": b"x,y\n1,9007199254740993\n2,0\n3,4\n",
        "text target": b"x,y\n1,a\n2,b\n3,c\n", "png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "zip": b"PK\x03\x04" + bytes(100), "json": b'{"x": 1}', "empty name": b",y\n1,3\n2,0\n",
        "long field": b"x,y\n" + b"9" * 200000 + b",3\n2,0\n", "utf-16": plain.encode("utf-16"), "only commas": b",,,\n,,,\n", "missing target": b"x,y\n1,\n2,0\n3,4\n",
    }
    careful = {"empty name", "one column", "infinite", "long field", "missing target", "json", "utf-16", "only commas", "newline", "png", "zip"}
    for label, text in bad.items():
        yield Case(f"bytes/wrong {label}", text, ["--likelihood", "poisson"], {2, 3} if label in careful else DATA, "count", None)
    wide = ",".join(f"c{k}" for k in range(3000)) + ",y\n" + ("1," * 3000 + "3\n") * 2
    yield Case("bytes/wide", wide, ["--likelihood", "poisson"], EITHER, "count", None)


# ---- words of the command

def options():
    y = column([3, 0, 4, 1, 7, 2])
    for words in [["--target", ""], ["--target", "z"], ["--inputs", "z"], ["--inputs", "y"], ["--inputs", ""], ["--likelihood", "no"], ["--likelihood", ""], ["--link", "no"],
                  ["--inference", "no"], ["--inference", ""], ["--restarts", "-1"], ["--restarts", "x"], ["--restarts", "1e99"], ["--seed", "-1"], ["--seed", "x"], ["--tolerance", "0"],
                  ["--tolerance", "-1"], ["--tolerance", "nan"], ["--max-evaluations", "0"], ["--max-evaluations", "-5"], ["--keep", "0"], ["--threads", "-1"], ["--threads", "x"],
                  ["--memory", "x"], ["--memory", "-1"], ["--memory", "1"], ["--fixed", "no.such"], ["--priors", "x"], ["--priors", "rbf.variance ~ no(1)"],
                  ["--priors", "rbf.variance ~ gamma(-1, 1)"], ["--df", "0"], ["--df", "-1"], ["--df", "nan"], ["--df", "1e-320"], ["--parameter", "no=1"], ["--parameter", "zero"],
                  ["--expansion", "no"], ["--expansion-offset", "nan"], ["--warp", "no"], ["--warp", "tanh:x"], ["--engine", "no"], ["--accuracy", "no"], ["--inducing", "-1"],
                  ["--inducing", "x"], ["--factors", "z"], ["--coordinates", "z"], ["--missing", "no"], ["--levels", "a"], ["--trials", "z"], ["--exposure", "z"], ["--offset", "z"],
                  ["--weights", "z"], ["--censored", "z"], ["--upper", "z"], ["--refit-folds", "-1"], ["--refit-folds", "1000"], ["--formula", "y ~"], ["--formula", "~ rbf(x)"],
                  ["--formula", "y ~ rbf(z)"], ["--formula", "y"], ["--formula", "y ~ offset(log(x)"], ["--bogus"], ["extra"], ["-o", ""], ["-o", "/no/such/folder/m.ggpm"], ["-o", "."],
                  ["--max-iterations", "0"], ["--likelihood", "nofile.toml"], ["--seed", "99999999999999999999999"]]:
        label = " ".join(words)
        yield Case(f"option/{label}", y, words, {2, 3}, "count", None)
    for words in [["--target", "z", "--target", "y"], ["--seed", "-1", "--seed", "2"]]:  # the last one counts
        yield Case(f"option/{' '.join(words)}", y, ["--likelihood", "poisson"] + words, ANSWER, "count", None)


# ---- what comes later than the fit

def predictions():
    fit = table([(1, "a", 3), (2, "b", 0), (3, "a", 4), (4, "b", 2)], "x,s,y")
    for label, text, outcome in [
        ("reordered", "s,x\na,1\nb,2\n", ANSWER), ("extra column", "x,s,z\n1,a,q\n", ANSWER), ("missing column", "x\n1\n", DATA), ("unseen level", "x,s\n1,c\n", EITHER),
        ("infinite", "x,s\ninf,a\n", DATA), ("nan", "x,s\nnan,a\n", DATA), ("empty cell", "x,s\n,a\n", DATA), ("text for a number", "x,s\nq,a\n", DATA), ("far", "x,s\n1e300,a\n", ANSWER),
        ("header only", "x,s\n", DATA), ("nothing", "", DATA), ("target too", "x,s,y\n1,a,3\n", ANSWER), ("wrong target", "x,s,y\n1,a,-3\n", DATA), ("far target", "x,s,y\n1,a,1000000\n", ANSWER),
        ("enormous target", "x,s,y\n1,a,9007199254740992\n", EITHER), ("half a target", "x,s,y\n1,a,\n2,b,1\n", EITHER)]:
        for likelihood in ["poisson", "negative-binomial", "com-poisson", "zero-inflated-poisson"]:
            yield Case(f"predict/{likelihood}/{label}", fit, ["--likelihood", likelihood], outcome, "count", text)


# ---- engines, methods, outputs and kernels beyond the first ones

def with_role(domain, y):
    if domain == "fraction_of_trials":
        return table([(i, k, n) for i, (k, n) in enumerate(y, 1)], "x,y,n"), ["--trials", "n", "--inputs", "x"]
    return column(y), []


def methods(families):
    """What answers by averages, draws or bounds, and the tree: every family."""
    for family in families:
        name, domain = family["name"], family["domain"]
        for label, reach, y in OUTPUTS.get(domain, []):
            text, more = with_role(domain, y)
            reached = reach == REACHED
            for words in (["--engine", "tree"], ["--engine", "tree", "--inference", "ep", "--accuracy", "high"]):
                outcome = ANSWER if reached else EITHER
                if name in ("softmax", "laplace"):
                    outcome = outcome | {2, 3}
                yield Case(f"tree/{name}/{label}/{words[-1]}", text, ["--likelihood", name] + words + more, outcome, domain, None)
            yield Case(f"vb/{name}/{label}", text, ["--likelihood", name, "--inference", "vb"] + more, EITHER | {2}, domain, None)
        for label, _, y in OUTPUTS.get(domain, [])[:2]:
            text, more = with_role(domain, y)
            yield Case(f"mcmc/{name}/{label}", text, ["--likelihood", name, "--inference", "mcmc"] + more, EITHER | {2}, domain, None)
            yield Case(f"integrate/{name}/{label}", text, ["--likelihood", name, "--hyperparameters", "integrate"] + more, EITHER | {2}, domain, None)


def classes():
    def rows(values):
        return table(list(enumerate(values, 1)))
    for label, values, outcome in [
        ("three", "abcabc", ANSWER), ("two", "ababab", ANSWER), ("rare", "aabbcc", ANSWER), ("many", [f"c{k % 8}" for k in range(24)], ANSWER),
        ("one row each", "abcdef", DATA), ("one", "aaaaaa", {0, 2, 3}), ("a gap", ["a", "b", "", "a", "b", "c"], DATA),
        ("numbers", [1, 2, 3, 1, 2, 3], EITHER | {2}), ("separable", "aabbccaabbcc", ANSWER), ("odd names", ["=1+1", "-", "\u0445", "=1+1", "-", "\u0445"], ANSWER)]:
        for inference in ["laplace", "kld", "ep", "mcmc"]:
            if label == "many" and inference == "kld":
                continue  # half a minute
            given = outcome | {2, 3, 4} if inference in ("ep", "mcmc") else outcome
            yield Case(f"softmax/{label}/{inference}", rows(values), ["--likelihood", "softmax", "--inference", inference], given, "classes", None)
        yield Case(f"softmax/{label}/auto", rows(values), [], EITHER | {2}, "classes", None)
    for label, values, levels, outcome in [
        ("three", ["low", "mid", "high"] * 3, "low,mid,high", ANSWER), ("one is not there", ["low", "high"] * 3, "low,mid,high", EITHER), ("unknown", ["low", "big"] * 3, "low,mid,high", DATA),
        ("twice", ["low", "high"] * 3, "low,low,high", {2, 3}), ("reversed", ["low", "mid", "high"] * 3, "high,mid,low", ANSWER), ("empty", ["low", "high"] * 3, "low,,high", {2, 3})]:
        for link in ["probit", "logit"]:
            yield Case(f"ordinal/{label}/{link}", rows(values), ["--likelihood", "ordinal", "--link", link, "--levels", levels], outcome, "classes", None)


def groups():
    def rows(levels, y=(3, 0, 4, 1, 7, 2)):
        return table([(i, g, v) for i, (g, v) in enumerate(zip(levels, y), 1)], "x,s,y")
    for label, levels in [("one", "aaaaaa"), ("two", "ababab"), ("all different", "abcdef"), ("numbers", [1, 2, 1, 2, 3, 3]), ("odd", ["", "a", "a", "b", "b", "b"]),
                          ("enormous", [1e300, -1e300, 0, 1, 2, 3])]:
        for kernel in ["group(columns=[s])", "group(columns=[s]) + rbf(columns=[x])", "group(columns=[s])*rbf(columns=[x])"]:
            for engine in ["dense", "tree"]:
                yield Case(f"group/{label}/{kernel}/{engine}", rows(levels), ["--likelihood", "poisson", "--kernel", kernel, "--engine", engine],
                           DATA if label == "odd" else EITHER if label == "enormous" or engine == "tree" else ANSWER, "count", None)
    for kernel in ["group", "group(columns=[z])", "group(columns=[])", "group(columns=[s,x])", "group(columns=[y])", "group(variance=0, columns=[s])"]:
        yield Case(f"group/wrong {kernel}", rows("ababab"), ["--likelihood", "poisson", "--kernel", kernel], {0, 2, 3}, "count", None)
    for label, new, outcome in [("unseen", "x,s\n1,q\n", ANSWER), ("missing column", "x\n1\n", DATA), ("empty level", "x,s\n1,\n", DATA)]:
        yield Case(f"group/predict {label}", rows("ababab"), ["--likelihood", "poisson", "--kernel", "group(columns=[s]) + rbf(columns=[x])"], outcome, "count", new)


def formulas():
    text = table([(i, c, 1 + i % 3, v) for i, (c, v) in enumerate(zip("ababab", (3, 0, 4, 1, 7, 2)), 1)], "x,s,e,y")
    for formula in ["y ~ rbf(x)", "y ~ rbf(x) + group(s)", "y ~ 0 + linear(x)", "y ~ 1", "y ~ rbf(x)*periodic(x, period=3)", "y ~ rbf(x) + offset(e)", "y ~ rbf(x) + offset(log(e))",
                    "y ~ rbf(x) + exposure(e)", "y ~ rbf(x, e, ard=true)", "'y' ~ rbf('x')", "  y~rbf( x )  ", "y ~ linear(x) + linear(x) + linear(x)"]:
        yield Case(f"formula/{formula}", text, ["--likelihood", "poisson", "--formula", formula], ANSWER, "count", None)
    for formula in ["", "~", "y", "y ~", "~ rbf(x)", "y ~ rbf(nope)", "nope ~ rbf(x)", "y ~ rbf(y)", "y ~ y", "y ~ rbf(x) +", "y ~ + rbf(x)", "y ~ rbf(x", "y ~ rbf(x))", "y ~ 0", "y ~ 2",
                    "y ~ offset(x) + offset(e)", "y ~ exposure(e) + offset(log(x))", "y ~ offset(log(s)) + rbf(x)", "y ~ exposure(s) + rbf(x)", "y ~ nothing(x)", "y ~ rbf(x, x)", "y ~ rbf(x) ~ rbf(e)",
                    "y ~ rbf(x, variance=-1)", "y ~ rbf(x)*offset(e)", "y ~ (" + "(" * 3000, "y ~ " + "rbf(x)+" * 2000 + "1", "y ~ rbf(x) - 1", "y ~ x", "log(y) ~ rbf(x)"]:
        yield Case(f"formula/wrong {formula[:30]}", text, ["--likelihood", "poisson", "--formula", formula], {2, 3}, "count", None)


def cases(families):
    for group in (outputs(families), links(families), inputs(), hyperparameters(), roles(), encodings(), options(), predictions(), methods(families), classes(), groups(),
                  formulas()):
        yield from group


# ---- running one

def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def run(command, words, folder):
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    done = subprocess.run([command] + words, cwd=folder, capture_output=True, preexec_fn=limit, env=environment, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def sentence(error):
    lines = [line for line in error.splitlines() if line.startswith("ggpm: ")]
    if len(lines) != 1:
        return f"{len(lines)} sentences on standard error: {error[-300:]!r}"
    if len(lines[0]) > 700:
        return f"a sentence of {len(lines[0])} characters"
    return None


INSIDE = {
    "positive": lambda v: v >= 0, "nonnegative": lambda v: v >= 0, "count": lambda v: v >= 0 and v == math.floor(v), "binary": lambda v: v in (0, 1),
    "fraction_of_trials": lambda v: v >= 0 and v == math.floor(v), "proportion": lambda v: 0 <= v <= 1, "real": lambda v: True,
}


def wrong_number(text, domain, error):
    """What is wrong with a table of predictions, or None."""
    rows = list(csv.DictReader(io.StringIO(text)))
    if not rows:
        return "no predictions"
    for number, row in enumerate(rows, 1):
        cells = {}
        for name, cell in row.items():
            try:
                cells[name] = float(cell)
            except ValueError:
                cells[name] = None
                if cell == "NA" and name in ("mean", "sd", "mode"):  # beyond doubles, or there is none
                    continue
                if cell == "NA" and name == "log_density":  # the target is not known there
                    continue
                if name in ("mean", "sd", "mode") or name.startswith("q") or name == "log_density":
                    if domain not in ("ordinal", "classes"):
                        return f"row {number}: {name} is {cell!r}"
        quantiles = [value for name, value in cells.items() if name.startswith("q") and value is not None]
        for name, value in cells.items():
            if value is not None and not math.isfinite(value):
                return f"row {number}: {name} is {value}"
        if quantiles != sorted(quantiles):
            return f"row {number}: quantiles {quantiles} are not in order"
        if domain in INSIDE and not all(map(INSIDE[domain], quantiles)):
            return f"row {number}: quantiles {quantiles} are outside of the domain"
        if cells.get("sd") is not None and cells["sd"] < 0:
            return f"row {number}: a negative deviation"
        for name, value in cells.items():
            if name.startswith("p_") and value is not None and not -1e-12 <= value <= 1 + 1e-12:
                return f"row {number}: {name} is {value}"
    return None


def complaint(command, case):
    with tempfile.TemporaryDirectory() as folder:
        data = case.table if isinstance(case.table, bytes) else case.table.encode()
        with open(os.path.join(folder, "d.csv"), "wb") as file:
            file.write(data)
        words = ["fit", "d.csv", "--quiet", "--threads", "1"]
        for name, default in [("--target", "y"), ("--restarts", "1"), ("--max-evaluations", "12"), ("-o", "m.ggpm")]:
            if name not in case.words and not (name == "--target" and "--formula" in case.words):
                words += [name, default]
        code, out, error = run(command, words + case.words, folder)
        late = case.predict is not None
        allowed = ANSWER if late else case.outcome
        if code not in allowed:
            return f"fit ended with {code}, not {sorted(allowed)}: {error[-300:]!r}"
        if code != 0:
            if out:
                return f"standard output after exit code {code}: {out[:100]!r}"
            if os.path.exists(os.path.join(folder, "m.ggpm")):
                return "a model file after a failure"
            return sentence(error)
        if "nan" in out.lower().replace("nance", ""):
            return f"no number in what fit says: {out[:500]!r}"
        where = "d.csv"
        if late:
            where = "new.csv"
            with open(os.path.join(folder, where), "w", encoding="utf-8") as file:
                file.write(case.predict)
        code, out, error = run(command, ["predict", "m.ggpm", where], folder)
        allowed = case.outcome if late else {0, 4} if case.outcome & {3, 4} else {0}
        if code not in allowed:
            return f"predict ended with {code}, not {sorted(allowed)}: {error[-300:]!r}"
        return wrong_number(out, case.domain, error) if code == 0 else sentence(error)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("--quick", action="store_true", help=f"about {QUICK} of them")
    parser.add_argument("--only", default="", help="cases whose name has this text")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    # A copy, so that a build meanwhile changes nothing.
    kept = tempfile.TemporaryDirectory()
    command = shutil.copy(arguments.command, os.path.join(kept.name, "ggpm"))
    families = json.loads(run(command, ["likelihoods", "--json"], ".")[1])
    every = list(cases(families))
    if len(every) < 1000:
        sys.exit(f"only {len(every)} cases: is a list of families or outputs empty?")
    chosen = [case for case in every if arguments.only in case.name]
    if arguments.quick:  # a cross-section that does not depend on the order
        chosen = sorted(chosen, key=lambda case: zlib.crc32(case.name.encode()))[:QUICK]
    if arguments.list:
        print("\n".join(case.name for case in chosen))
        return
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for case, problem in zip(chosen, pool.map(lambda case: complaint(command, case), chosen)):
            if problem:
                failed += 1
                print(f"{case.name}: {problem}", flush=True)
    print(f"{len(chosen)} of {len(every)} hostile tables, {len(chosen) - failed} held, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
