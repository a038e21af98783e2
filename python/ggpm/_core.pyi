"""The compiled part of ggpm. Use the package above it."""

from typing import Callable, Optional

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
    count: "Domain"
    fraction_of_trials: "Domain"
    binary: "Domain"
    proportion: "Domain"

class LikelihoodInfo:
    name: str
    links: list[str]
    domain: Domain
    dispersion: str
    formula: str

class KernelInfo:
    name: str
    formula: str
    parameters: list[str]

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
                 exposure: Optional[ArrayLike] = None,
                 offset: Optional[ArrayLike] = None) -> None: ...

class DesignColumn:
    name: str
    levels: list[str]
    center: float
    scale: float

class LikelihoodOptions:
    dispersion: float
    df: float
    learn_df: bool

class ExpansionPoint:
    name: str
    automatic: "ExpansionPoint"
    exact: "ExpansionPoint"
    canonical: "ExpansionPoint"
    agnostic: "ExpansionPoint"

class ExpansionOptions:
    point: ExpansionPoint
    offset: float

class Specification:
    likelihood: str
    link: str
    likelihood_options: LikelihoodOptions
    kernel: str
    mean: str
    inference: str
    expansion: ExpansionOptions
    warp: str
    formula: str
    def __init__(self) -> None: ...

class OpenChoices:
    likelihood: bool
    inference: bool
    def __init__(self, likelihood: bool = False, inference: bool = False) -> None: ...

class Prior:
    class Kind:
        name: str
        none: "Prior.Kind"
        normal: "Prior.Kind"
        lognormal: "Prior.Kind"
        gamma: "Prior.Kind"
        inverse_gamma: "Prior.Kind"
    def __init__(self, kind: "Prior.Kind", a: float, b: float) -> None: ...
    def text(self) -> str: ...

class FitOptions:
    optimize: bool
    restarts: int
    keep: int
    taylor_starts: bool
    seed: int
    threads: int
    tolerance: float
    max_evaluations: int
    inference_tolerance: float
    inference_iterations: int
    fixed: list[str]
    priors: dict[str, Prior]
    memory_limit: int
    def __init__(self) -> None: ...

class ColumnRoles:
    target: str
    trials: str
    exposure: str
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
    below: Vector
    upto: Vector
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
    def cdf(self, y: ArrayLike) -> Vector: ...
    def log_density(self, y: ArrayLike) -> Vector: ...
    def sample(self, count: int, seed: int) -> Matrix: ...

class Model:
    likelihood: str
    link: str
    domain: Domain
    inference: str
    specification: Specification
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
    seconds: float
    seed: int
    y: Vector
    trials: Vector
    exposure: Vector
    design: Optional[list[DesignColumn]]
    notes: list[str]
    roles: ColumnRoles
    provenance: dict[str, str]
    def standard_errors(self, threads: int = 0) -> Vector: ...
    def profile_interval(self, parameter: str, level: float) -> tuple[float, float, bool, bool]: ...
    def log_marginal_at(self, theta: ArrayLike, with_gradient: bool) -> tuple[float, Vector]: ...
    def loo(self) -> LeaveOneOutScores: ...
    def interpret(self, table: Table, observed: Observations) -> Observations: ...
    def latent(self, table: Table, observed: Observations) -> tuple[Vector, Vector]: ...
    def latent_covariance(self, table: Table) -> Matrix: ...
    def predictive(self, table: Table, observed: Observations,
                   threads: int = 0) -> Predictions: ...
    def save(self, path: str) -> None: ...
    @staticmethod
    def load(path: str) -> "Model": ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> "Model": ...

def fit(table: Table, observed: Observations, squeeze: bool, specification: Specification,
        open: OpenChoices, options: FitOptions, standardize: bool, roles: ColumnRoles,
        provenance: dict[str, str],
        progress: Optional[Callable[[str, int, int, int, float, float], None]]) -> Model: ...
def fit_memory(rows: int, inputs: int, options: FitOptions) -> int: ...
def likelihoods() -> list[LikelihoodInfo]: ...
def kernels() -> list[KernelInfo]: ...
def recognize_domain(y: ArrayLike, has_trials: bool) -> tuple[Domain, str]: ...
def kernel_text(text: str) -> str: ...
def kernel_parameters(text: str) -> list[tuple[str, float]]: ...
def kernel_gram(text: str, X: ArrayLike) -> Matrix: ...
def kernel_cross(text: str, X: ArrayLike, Z: ArrayLike) -> Matrix: ...
def kernel_diagonal(text: str, X: ArrayLike) -> Vector: ...
def mean_text(text: str) -> str: ...
def version() -> str: ...
