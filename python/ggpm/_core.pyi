"""The compiled part of ggpm. Use the package above it."""

from typing import Callable, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

class Error(Exception): ...
class UsageError(Error, ValueError): ...
class DataError(Error, ValueError): ...
class NumericalError(Error, ArithmeticError): ...

class Domain:
    name: str
    real: "Domain"
    positive: "Domain"
    nonnegative: "Domain"
    count: "Domain"
    fraction_of_trials: "Domain"
    binary: "Domain"
    proportion: "Domain"
    ordinal: "Domain"

class LikelihoodInfo:
    name: str
    links: list[str]
    domain: Domain
    dispersion: str
    formula: str

class InferenceInfo:
    name: str
    title: str
    needs: str

class KernelInfo:
    name: str
    formula: str
    parameters: list[str]

class ModelFormula:
    target: str
    kernel: str
    inputs: list[str]
    offset: str
    exposure: str

class Table:
    rows: int
    names: list[str]
    def __init__(self) -> None: ...
    @staticmethod
    def of_array(X: ArrayLike, names: list[str]) -> "Table": ...
    def add_numbers(self, name: str, numbers: ArrayLike) -> None: ...
    def add_text(self, name: str, cells: list[str]) -> None: ...

class Observations:
    y: Vector
    trials: Vector
    exposure: Vector
    offset: Vector
    def __init__(self, y: Optional[ArrayLike] = None, trials: Optional[ArrayLike] = None,
                 exposure: Optional[ArrayLike] = None, offset: Optional[ArrayLike] = None,
                 weight: Optional[ArrayLike] = None, censored: Optional[ArrayLike] = None,
                 upper: Optional[ArrayLike] = None) -> None: ...

class DesignColumn:
    name: str
    levels: list[str]
    center: float
    scale: float
    width: int

class OptionKind:
    name: str
    flag: "OptionKind"
    whole: "OptionKind"
    number: "OptionKind"
    text: "OptionKind"
    choice: "OptionKind"
    list: "OptionKind"

class OptionInfo:
    name: str
    kind: OptionKind
    group: str
    value: str
    choices: list[str]
    help: str
    fallback: str

class FitRequest:
    def __init__(self) -> None: ...
    def set(self, name: str, text: str) -> None: ...
    def get(self, name: str) -> str: ...
    def memory(self, rows: int, inputs: int) -> int: ...

class ColumnRoles:
    target: str
    trials: str
    exposure: str
    weight: str
    censored: str
    upper: str
    offset: str
    squeeze: bool
    fractions: bool
    levels: list[str]
    def __init__(self) -> None: ...

class FittedParameter:
    name: str
    value: float
    positive: bool
    fixed: bool
    lower: float
    upper: float
    prior: str
    interval: Optional[tuple[float, float]]
    remark: str
    at_lower: bool
    at_upper: bool

class Optimum:
    log_marginal: float
    values: Vector
    inference: str
    converged: bool
    evaluations: int

class LeaveOneOutScores:
    latent_mean: Vector
    latent_variance: Vector
    log_density: Vector
    cdf_below: Vector
    cdf: Vector
    improper: list[int]
    total: float
    standard_error: float
    def pit(self, seed: int = 1) -> Vector: ...

class Predictions:
    latent_mean: Vector
    latent_variance: Vector
    def __len__(self) -> int: ...
    def mean(self) -> Vector: ...
    def variance(self) -> Vector: ...
    def mode(self) -> Vector: ...
    def quantile(self, p: float) -> Vector: ...
    def quantiles(self, p: list[float]) -> Matrix: ...
    def level_probabilities(self) -> Matrix: ...
    class_means: Matrix
    class_variances: Matrix
    def cdf(self, y: ArrayLike) -> Vector: ...
    def log_density(self, y: ArrayLike) -> Vector: ...
    def sample(self, count: int, seed: int) -> Matrix: ...
    def mean_quantiles(self, p: list[float]) -> Matrix: ...
    def mean_above(self, threshold: float) -> Vector: ...

class Drawn:
    name: str
    __members__: dict[str, "Drawn"]
    latent: "Drawn"
    mean: "Drawn"
    outcome: "Drawn"

class Coefficient:
    term: str
    input: str
    estimate: float
    standard_error: float
    lower: float
    upper: float

class Model:
    likelihood: str
    link: str
    domain: Domain
    inference: str
    kernel: str
    mean: str
    rows: int
    dimensions: int
    columns: list[str]
    inputs: Matrix
    offset: Vector
    parameters: list[FittedParameter]
    values: Vector
    gradient: Vector
    log_marginal: float
    latent_mean: Vector
    latent_variance: Vector
    converged: bool
    evaluations: int
    iterations: int
    detail: str
    optima: list[Optimum]
    warnings: list[str]
    refitted: Optional[dict]
    integrated: Optional[dict]
    sampled: Optional[dict]
    seconds: float
    seed: int
    y: Vector
    trials: Vector
    exposure: Vector
    censored: Vector
    upper: Vector
    design: Optional[list[DesignColumn]]
    notes: list[str]
    roles: ColumnRoles
    provenance: dict[str, str]
    def option(self, name: str) -> str: ...
    def unseen(self, table: Table) -> list[str]: ...
    def standard_errors(self, threads: int = 0) -> Vector: ...
    def profile_interval(self, parameter: str, level: float) -> tuple[float, float, bool, bool]: ...
    def log_marginal_at(self, theta: ArrayLike, with_gradient: bool) -> tuple[float, Vector]: ...
    def loo(self) -> LeaveOneOutScores: ...
    def interpret(self, table: Table, observed: Observations) -> Observations: ...
    def latent(self, table: Table) -> tuple[Vector, Vector]: ...
    def latent_covariance(self, table: Table) -> Matrix: ...
    def predictive(self, table: Table, observed: Observations,
                   threads: int = 0) -> Predictions: ...
    def draw(self, table: Table, observed: Observations, count: int, seed: int,
             what: Drawn) -> Matrix: ...
    def terms(self, table: Table) -> list[tuple[str, Vector, Vector]]: ...
    def summary(self) -> str: ...
    def coefficients(self, level: float) -> list[Coefficient]: ...
    def check_gradient(self) -> "GradientCheck": ...
    def simulate(self, table: Table, observed: Observations, seed: int) -> tuple[Vector, Vector]: ...
    def report(self, options: "ReportOptions") -> "ReportPage": ...
    def report_on(self, table: Table, observed: Observations,
                  options: "ReportOptions") -> "ReportPage": ...
    def save(self, path: str) -> None: ...
    @staticmethod
    def load(path: str) -> "Model": ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> "Model": ...

class PosteriorSample:
    draws: Matrix
    chains: int
    thin: int
    mean: Vector
    sd: Vector
    r_hat: Vector
    bulk_ess: Vector
    tail_ess: Vector
    mean_error: Vector
    share: float
    evaluations: int
    detail: str
    converged: bool

class Annealed:
    log_marginal: float
    standard_error: float
    runs: int
    pareto_k: float

class Effect:
    largest: float
    average: float
    error: float
    row: int

class MethodError:
    inference: str
    log_marginal: float
    log_marginal_error: float
    mean_error: Vector
    sd_ratio: Vector
    pareto_k: float
    mean: Effect
    interval: Effect
    log_density: Effect

class Diagnosis:
    truth: PosteriorSample
    marginal: Annealed
    methods: list[MethodError]
    pit_p_value: float
    seconds: float
    trust: str
    verdict: str

def sample_posterior(model: Model, draws: int, chains: int, warmup: int, thin: int, seed: int,
                     threads: int) -> PosteriorSample: ...
def diagnose(model: Model, all: bool, seconds: float, draws: int, chains: int, seed: int,
             threads: int) -> Diagnosis: ...

class PointEstimate:
    name: str
    mean: "PointEstimate"
    median: "PointEstimate"
    mode: "PointEstimate"
    rounded_mean: "PointEstimate"

class PitSummary:
    count: int
    mean: float
    variance: float
    distance: float
    p_value: float
    histogram: list[int]

class Average:
    mean: float
    error: float

class ScoreSum:
    count: int
    nlp: Average
    pit: PitSummary
    c_index: float
    censored: int
    levels: list[tuple[float, Average]]
    def __init__(self, levels: list[float], seed: int) -> None: ...
    def add(self, predictions: Predictions, y: ArrayLike) -> None: ...
    def errors(self, point: PointEstimate) -> tuple[Average, Average]: ...

class Scores:
    mae: float
    mse: float
    nlp: float
    coverage: float
    width: float
    def __init__(self) -> None: ...

class CandidateOptions:
    likelihoods: list[str]
    links: list[str]
    inferences: list[str]
    kernels: list[str]
    mean: str
    point: PointEstimate
    def __init__(self) -> None: ...

class SplitOptions:
    splits: int
    folds: int
    train: float
    seed: int
    def __init__(self) -> None: ...

class Trial:
    candidate: str
    split: int
    scores: Scores
    log_marginal: float
    loo: float
    seconds: float
    converged: bool
    failure: str
    def __init__(self) -> None: ...

class MeanSd:
    mean: float
    sd: float

class CandidateSummary:
    name: str
    trials: int
    failures: int
    failure: str
    mae: MeanSd
    mse: MeanSd
    nlp: MeanSd
    coverage: MeanSd
    width: MeanSd
    log_marginal: MeanSd
    loo: MeanSd
    seconds: MeanSd
    nlp_rank: float
    mae_rank: float

class PairTest:
    first: int
    second: int
    p: float
    adjusted_p: float

class Friedman:
    average_ranks: list[float]
    statistic: float
    degrees_of_freedom: int
    p: float

class Summary:
    candidates: list[CandidateSummary]
    ranked: list[str]
    blocks: int
    by_nlp: Friedman
    by_mae: Friedman
    pairs_by_nlp: list[PairTest]
    pairs_by_mae: list[PairTest]
    best: str
    recommendation: str

class Study:
    trials: list[Trial]
    summary: Summary

class ReportOptions:
    contour: list[str]
    grid: int
    threads: int
    seed: int
    diagnose: bool
    def __init__(self) -> None: ...

class ReportPage:
    figures: list[str]
    def html(self) -> str: ...
    def svg(self, name: str) -> str: ...

class GradientCheck:
    names: list[str]
    gradient: Vector
    differences: Vector
    largest: float

def fit(table: Table, observed: Observations, request: FitRequest, roles: ColumnRoles,
        provenance: dict[str, str],
        progress: Optional[Callable[[str, int, int, int, float, float], None]]) -> Model: ...
def compare(table: Table, observed: Observations, roles: ColumnRoles, request: FitRequest,
            candidates: CandidateOptions,
            splits: Optional[SplitOptions], parts: list[tuple[list[int], list[int]]],
            on_trial: Optional[Callable[[Trial], None]]) -> Study: ...
def make_splits(options: SplitOptions, rows: int) -> list[tuple[list[int], list[int]]]: ...
def summarize(names: list[str], trials: list[Trial]) -> Summary: ...
def score(predictions: Predictions, y: ArrayLike) -> Scores: ...
def simulate(table: Table, observed: Observations, roles: ColumnRoles,
             request: FitRequest) -> tuple[Vector, Vector]: ...
def write_file(path: str, text: Union[str, bytes]) -> None: ...
def fit_options() -> list[OptionInfo]: ...
def inferences() -> list[InferenceInfo]: ...
def families_of(domain: Domain) -> list[str]: ...
def likelihoods() -> list[LikelihoodInfo]: ...
def kernels() -> list[KernelInfo]: ...
def recognize_domain(y: ArrayLike, has_trials: bool) -> tuple[Domain, str]: ...
def parse_model_formula(text: str) -> ModelFormula: ...
def kernel_text(text: str) -> str: ...
def kernel_parameters(text: str) -> list[tuple[str, float]]: ...
def kernel_gram(text: str, X: ArrayLike) -> Matrix: ...
def kernel_cross(text: str, X: ArrayLike, Z: ArrayLike) -> Matrix: ...
def kernel_diagonal(text: str, X: ArrayLike) -> Vector: ...
def mean_text(text: str) -> str: ...
def version() -> str: ...
