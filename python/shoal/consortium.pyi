from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import KMeans, Missing, Model, Number, Pair, Path, Plan, Synopsis

__all__ = ["Agreement", "Codes", "Groups", "cluster", "distances", "encode", "merge", "plan"]

class Agreement:
    def __init__(
        self, bounds: Mapping[str, Pair] | str | PathLike[str], epsilon: Number, bits: int = ..., window: float = ..., seed: int | None = ...
    ) -> None: ...
    @classmethod
    def from_json(cls, text: str) -> Agreement: ...
    @classmethod
    def load(cls, path: Path) -> Agreement: ...
    def to_json(self) -> str: ...
    def save(self, path: Path) -> None: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def guarantee(self) -> str: ...
    def price(self) -> dict[str, Any]: ...

@dataclass(frozen=True)
class Codes:
    data: bytes
    rows: int
    guarantee: str
    clamped: int
    dropped: int
    def save(self, path: Path) -> None: ...

@dataclass(frozen=True)
class Groups:
    labels: npt.NDArray[np.int32]
    source: npt.NDArray[np.int64]
    clusters: list[dict[str, Any]]
    metric: str
    objective: float | None
    converged: bool | None
    ids: list[str | None] | None
    guarantee: str

_Codes = Codes | bytes | bytearray | Path
_Consistency = Literal["none", "layered", "as-printed", "corrected"]
_Metric = Literal["eq11", "eq19", "eq19-unbiased", "hamming-sum"]

_Release = Model | KMeans | Synopsis

def merge(
    releases: Mapping[str, _Release] | Sequence[_Release] | Sequence[Path],
    n_clusters: int | str,
    *,
    restarts: int | None = ...,
    iterations: int | None = ...,
    reruns: int | None = ...,
    sampling: bool = ...,
    match_with: Model | KMeans | None = ...,
    seed: int | None = ...,
    n_jobs: int | None = ...,
) -> Model: ...
def plan(
    rows: int,
    custodians: int,
    dims: int | None = ...,
    n_clusters: int | str = ...,
    epsilon: Number = ...,
    *,
    delta: Number = ...,
    bounds: Mapping[str, Pair] | Pair | str | None = ...,
    spread: float | None = ...,
    overlap: float | None = ...,
    smallest: float | None = ...,
) -> Plan: ...
def encode(
    X: Any,
    agreement: Agreement,
    max_epsilon: Number | None = ...,
    *,
    delta: Number | None = ...,
    id: str | None = ...,
    missing: Missing = ...,
    pairs: bool = ...,
    bridge: int = ...,
    seed: int | None = ...,
) -> Codes: ...
def cluster(
    codes: _Codes | Iterable[_Codes],
    n_clusters: int | None = ...,
    *,
    method: Literal["kcluster", "dbscan", "hierarchical"] = ...,
    metric: _Metric | None = ...,
    starts: int | None = ...,
    iterations: int | None = ...,
    radius: float | None = ...,
    min_points: int | None = ...,
    linkage: Literal["single", "complete", "average"] | None = ...,
    height: float | None = ...,
    consistency: _Consistency = ...,
    own: Any = ...,
    own_bounds: Mapping[str, Pair] | str | None = ...,
    own_id: str | None = ...,
    seed: int | None = ...,
) -> Groups: ...
def distances(
    codes: _Codes | Iterable[_Codes],
    pairs: Sequence[tuple[int, int]] | None = ...,
    *,
    metric: _Metric | None = ...,
    consistency: _Consistency = ...,
    own: Any = ...,
    own_bounds: Mapping[str, Pair] | str | None = ...,
    own_id: str | None = ...,
) -> list[tuple[int, int, float]]: ...
