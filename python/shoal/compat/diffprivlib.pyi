from typing import Any

from .. import KMeans as _KMeans
from .. import Ledger, Number, Path

class KMeans(_KMeans):
    random_state: int | None
    accountant: Any
    def __init__(
        self,
        n_clusters: int = ...,
        *,
        epsilon: Number = ...,
        bounds: Any = ...,
        random_state: int | None = ...,
        accountant: Any = ...,
        ledger: Path | Ledger | None = ...,
        dataset: str | None = ...,
        **unused_args: Any,
    ) -> None: ...
    def fit(self, X: Any, y: Any = ...) -> KMeans: ...
