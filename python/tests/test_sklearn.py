"""The protocol of scikit-learn."""

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

import shoal

#: Checks that do not hold, each with its reason. docs/python.md has the same list.
EXCEPTIONS = {"check_estimators_nan_inf": "the message names the row and the column, and not the words NaN and inf"}


def estimator():
    return shoal.KMeans(n_clusters=2, epsilon=10.0, bounds=(-100, 100), seed=1, method="dplloyd")


def test_clones(people):
    first = estimator()
    again = clone(first)
    assert again is not first and again.get_params() == first.get_params()
    first.fit(people)
    assert not hasattr(clone(first), "model_")


def test_pipelines(people):
    pipeline = make_pipeline(FunctionTransformer(np.abs), estimator().set_params(bounds=(0, 100)))
    assert set(pipeline.fit(people).predict(people)) == {0, 1}
    columns = ColumnTransformer([("clusters", estimator(), [0, 1])])
    assert columns.fit_transform(people).shape == (3000, 2)


def test_searches_are_refused_before_anything_is_spent(people, tmp_path):
    ledger = shoal.Ledger(tmp_path / "shoal.ledger")
    ledger.init("people", epsilon=100)
    private = shoal.KMeans(2, bounds=(0, 100), ledger=ledger, dataset="people")
    for search in [
        lambda: GridSearchCV(private, {"n_clusters": [2, 3]}).fit(people),
        lambda: cross_val_score(private, people),
        lambda: GridSearchCV(make_pipeline(private), {"kmeans__n_clusters": [2, 3]}).fit(people),
    ]:
        with pytest.raises(ValueError, match="each fit spends"):
            search()
    assert ledger.entries("people") == []


def test_estimator_checks():
    if not hasattr(sklearn.utils, "Tags"):
        pytest.skip("check_estimator of this release needs BaseEstimator")
    failed = {}
    results = check_estimator(estimator(), on_fail=None, on_skip=None)
    for result in results:
        if result["status"] == "failed":
            failed[result["check_name"]] = f"{result['exception']!r}"
    assert set(failed) == set(EXCEPTIONS) and len(results) > 30, failed
