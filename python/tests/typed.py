"""What a type checker has to accept: `mypy --strict`, run by `python/test.sh`. It also runs."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

import shoal
from shoal import consortium
from shoal.compat import diffprivlib

X: npt.NDArray[np.float64] = np.repeat([[20.0, 30.0], [60.0, 80.0]], 500, axis=0)


def fits() -> npt.NDArray[np.float64]:
    model = shoal.KMeans(2, epsilon=Fraction(1, 2), bounds={"x0": (0, 100), "x1": (0, 100)}, missing="drop").fit(X)
    labels: npt.NDArray[np.int32] = model.predict(X)
    sentence: str = model.guarantee_
    assert len(labels) == len(X) and sentence
    if model.intervals_ is not None:
        assert model.intervals_.shape == (2, 2, 2)
    return model.cluster_centers_


def budgets(folder: Path) -> Fraction:
    ledger = shoal.Ledger(folder / "shoal.ledger")
    ledger.init("people", epsilon="3/2")
    try:
        shoal.KMeans(2, epsilon=2, bounds=(0, 100), ledger=ledger, dataset="people").fit(X)
    except shoal.BudgetError as refused:
        code: str = refused.code
        assert code
    return ledger.balance("people")["epsilon_left"]


def engines() -> shoal.Model:
    def ask(question: shoal.Question) -> bytes:
        return shoal.merge(question, [shoal.answer(question, X[:600]), shoal.answer(question, X[600:])])

    return shoal.fit_on(ask, 2, bounds={"x0": (0, 100), "x1": (0, 100)})


def crowds() -> int:
    device = shoal.Device(shoal.Design(epsilon=8, bounds={"x": (0, 10)}, mechanism="laplace"))
    found = shoal.cluster_reports([device.report([value]) for value in [1.0, 9.0] * 300], 2, device.design)
    return len(found.centers)


def others() -> None:
    planned: shoal.Plan = shoal.plan(30_000, 2, 4, 1)
    bounds: shoal.PrivateBounds = shoal.private_bounds(X, epsilon=1)
    audit: shoal.Audit = shoal.audit(lambda rows: float(len(rows)), ([], [1]), runs=400)
    merged: shoal.Model = consortium.merge([shoal.KMeans(2, bounds=(0, 100)).fit(X) for _ in range(2)], 2)
    theirs = diffprivlib.KMeans(2, bounds=(0, 100)).fit(X)
    assert planned["k"] == 4 and bounds.bounds and audit.broken and len(merged.centers) == theirs.n_clusters_


if __name__ == "__main__":
    import tempfile

    fits()
    with tempfile.TemporaryDirectory() as folder:
        budgets(Path(folder))
    engines()
    crowds()
    others()
