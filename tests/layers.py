#!/usr/bin/env python3
"""Includes only point down, and what is private is in ggpm::internal.

    tests/layers.py [ROOT]

Every #include of src/, include/, experiments/, cli/, python/ and r/ is looked at. A folder may include itself and
the folders of lower floors, not its neighbors of the same floor. A public header belongs to a folder as well; a
new one is entered here. The faces include public headers alone.

What include/ggpm declares is in ggpm, what the headers of src/ declare in ggpm::internal. Public headers name
internal types without defining them; private ones may define what a public class keeps behind a pointer.
"""
import pathlib
import re
import sys

FLOORS = [
    ["types"],
    ["numeric", "parallel", "text"],
    ["data"],
    ["likelihood", "kernel"],
    ["gram"],
    ["inference"],
    ["learn"],
    ["trust"],
    ["model"],
    ["report"],
    ["study"],
    ["experiments"],
    ["cli", "python", "r"],
]
FLOOR = {folder: floor for floor, folders in enumerate(FLOORS) for folder in folders}

PUBLIC = {  # include/ggpm/
    "types.hpp": "types", "version.hpp": "types", "domain.hpp": "types",
    "text.hpp": "text", "memory.hpp": "parallel", "ranks.hpp": "parallel",
    "data.hpp": "data", "observations.hpp": "data", "roles.hpp": "data", "splits.hpp": "data",
    "atomic_file.hpp": "data",
    "likelihood.hpp": "likelihood", "classes.hpp": "likelihood",
    "kernel.hpp": "kernel", "prior.hpp": "kernel", "model_formula.hpp": "kernel", "sphere.hpp": "kernel",
    "engine.hpp": "gram", "engine_report.hpp": "gram", "sites.hpp": "gram",
    "inference.hpp": "inference",
    "learning.hpp": "learn",
    "trust.hpp": "trust",
    "model.hpp": "model", "choose.hpp": "model", "options.hpp": "model", "score.hpp": "model",
    "simulate.hpp": "model", "row_reader.hpp": "model", "summary.hpp": "model",
    "report.hpp": "report", "likelihood_picture.hpp": "report",
    "study.hpp": "study", "trial_file.hpp": "study",
    "ggpm.hpp": "study",
}


def folder_of(path):
    """Of a file, by its path from the root: "src/gram/dense.cpp" is gram."""
    parts = path.parts
    if parts[0] == "include":
        return PUBLIC.get(path.name)
    if parts[0] == "src":
        return parts[1] if len(parts) > 2 else "types"
    return parts[0]


def folder_of_include(name):
    if name.startswith("ggpm/"):
        return PUBLIC.get(name.removeprefix("ggpm/"))
    first = name.split("/")[0]
    return first if first in FLOOR else None  # a header of a face, beside its source


def include_faults(root):
    for top in ["src", "include", "experiments", "cli", "python", "r"]:
        for path in sorted((root / top).rglob("*.[ch]pp")):
            here = path.relative_to(root)
            own = folder_of(here)
            if own not in FLOOR:
                yield f"{here}: tests/layers.py does not know its layer"
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = re.match(r'\s*#\s*include\s*["<]((?:ggpm/)?[\w/]+\.hpp)[">]', line)
                if not match:
                    continue
                name = match.group(1)
                other = folder_of_include(name)
                if other is None:
                    if name.startswith("ggpm/"):
                        yield f"{here}:{number}: tests/layers.py does not know the layer of {name}"
                    continue
                private = not name.startswith("ggpm/") and other not in ("cli", "experiments")
                if own in ("cli", "python", "r") and private:
                    yield f"{here}:{number}: a face includes {name}, which is not public"
                if other != own and FLOOR[other] >= FLOOR[own]:
                    yield f"{here}:{number}: {own} includes {name} of {other}, which is not below it"


ANYTHING = r""
FORWARD = r"(class|struct) \w+;"
BEHIND_A_POINTER = r"(class|struct) \w+::\w+ "


def allowed_in(namespace, public):
    """What may begin a line of the namespace, as a pattern; None: the namespace may not be opened."""
    inside = (namespace + "::").startswith("ggpm::internal::")
    if public:
        return FORWARD if inside else ANYTHING if namespace in ("ggpm", "ggpm::kernels") else None
    return ANYTHING if inside else BEHIND_A_POINTER if namespace == "ggpm" else None


def namespace_faults(root):
    headers = [(path, True) for path in sorted((root / "include").rglob("*.hpp"))]
    headers += [(path, False) for path in sorted((root / "src").rglob("*.hpp"))]
    for path, public in headers:
        depth, opened = 0, []  # opened: namespaces, with the depth of their braces
        for number, line in enumerate(path.read_text().splitlines(), 1):
            where = f"{path.relative_to(root)}:{number}"
            here = "::".join(name for name, _ in opened)
            code = re.sub(r"//.*|\"(\\.|[^\"])*\"|'(\\.|[^'])'", "", line)
            if match := re.match(r"namespace ([\w:]+) \{", code):
                opened.append((match.group(1), depth))
                here = "::".join(name for name, _ in opened)
                if allowed_in(here, public) is None:
                    yield f"{where}: namespace {here} is neither ggpm nor in ggpm::internal"
            elif opened and re.match(r"\w", code):
                pattern = allowed_in(here, public)
                if pattern is not None and not re.match(pattern, code):
                    yield f"{where}: '{line}' belongs into {'src/' if public else 'ggpm::internal'}"
            depth += code.count("{") - code.count("}")
            while opened and depth <= opened[-1][1]:
                opened.pop()


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    found = [*include_faults(root), *namespace_faults(root)]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
