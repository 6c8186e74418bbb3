from collections.abc import Mapping
from typing import Any, NoReturn

from . import KMeans as _KMeans
from . import Categories, Ledger, Missing, Number, Pair, Path

class KMeans(_KMeans):
    def __init__(
        self,
        n_clusters: int | str = ...,
        *,
        epsilon: Number = ...,
        bounds: Mapping[str, Pair] | None = ...,
        scale: Mapping[str, str] | str | None = ...,
        weight: Mapping[str, float] | str | None = ...,
        categories: Categories | None = ...,
        delta: Number = ...,
        method: str = ...,
        missing: Missing = ...,
        rows: int | None = ...,
        rows_public: bool = ...,
        ledger: Path | Ledger | None = ...,
        dataset: str | None = ...,
        people: str | None = ...,
        keep_cells: bool = ...,
        options: Mapping[str, Any] | None = ...,
        seed: int | None = ...,
    ) -> None: ...
    def fit(self, df: Any, y: Any = ...) -> KMeans: ...
    def predict(self, df: Any, column: str = ...) -> Any: ...
    def fit_predict(self, *_: Any, **__: Any) -> NoReturn: ...
    def fit_transform(self, *_: Any, **__: Any) -> NoReturn: ...
    def transform(self, *_: Any, **__: Any) -> NoReturn: ...
    def score(self, *_: Any, **__: Any) -> NoReturn: ...
