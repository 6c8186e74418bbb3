import inspect
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pytest

import shoal
from shoal.compat.diffprivlib import KMeans


def test_the_same_arguments(people):
    model = KMeans(n_clusters=2, epsilon=1.0, bounds=([0, 0], [100, 100])).fit(people)
    assert model.cluster_centers_.shape == (2, 2) and model.labels_.shape == (3000,)
    assert "ε = 1" in model.guarantee_
    assert KMeans(2, bounds=(0, 100), random_state=3).fit(people).model_.spent is None
    assert set(model.get_params()) == {"n_clusters", "epsilon", "bounds", "random_state", "accountant", "ledger", "dataset"}
    assert "NO PRIVACY" not in model.guarantee_


def test_bounds_are_not_taken_from_the_data(people):
    with pytest.raises(shoal.UsageError, match="extremes"):
        KMeans(2).fit(people)
    with pytest.raises(shoal.UsageError, match="ledger"):
        KMeans(2, bounds=(0, 100), accountant=object()).fit(people)


def test_a_warning_where_the_promise_did_not_hold():
    X = np.random.default_rng(1).uniform(0, 1, (500, 6))
    with pytest.warns(shoal.PrivacyWarning, match="6 columns"):
        KMeans(2, bounds=(0, 1)).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KMeans(2, bounds=(0, 1)).fit(X[:, :4])


def test_other_arguments_are_taken_and_not_used(people):
    with pytest.warns(shoal.PrivacyWarning, match="n_init, tol"):
        model = KMeans(2, bounds=(0, 100), tol=1e-3, n_init=10)
    assert model.fit(people).n_clusters_ == 2


class TestBesideDiffprivlib:
    """With the original, where it is installed: `python/test.sh` has an environment with it."""

    @pytest.fixture
    def theirs(self):
        return pytest.importorskip("diffprivlib.models").KMeans

    def test_the_parameters_are_theirs(self, theirs):
        ours, original = (inspect.signature(kind.__init__).parameters for kind in (KMeans, theirs))
        assert {name: one.default for name, one in original.items()} == {name: ours[name].default for name in original}
        assert [ours[name].kind for name in original] == [one.kind for one in original.values()]

    @pytest.mark.parametrize("bounds", [(0, 100), ([0, 0], [100, 100])])
    def test_the_same_call_has_the_same_attributes(self, theirs, people, bounds):
        given = dict(n_clusters=2, epsilon=5.0, bounds=bounds, random_state=1)
        ours, original = KMeans(**given).fit(people), theirs(**given).fit(people)
        for name in ("cluster_centers_", "labels_"):
            assert getattr(ours, name).shape == getattr(original, name).shape
        assert ours.predict(people).shape == original.predict(people).shape and ours.transform(people).shape == (3000, 2)
        # Not private, and so they are comparable: ours is no further from the rows.
        distance = lambda model: np.linalg.norm(people - model.cluster_centers_[model.predict(people)], axis=1).mean()
        assert distance(ours) <= distance(original)

    def test_the_audit_of_the_documentation(self, theirs):
        example = pathlib.Path(__file__).resolve().parents[2] / "docs/examples/audit_diffprivlib.py"
        # Repeatable: with few runs, and the noise of a seed.
        found = subprocess.run([sys.executable, example, "200", "1"], check=True, capture_output=True, text=True).stdout
        assert "the claim is refuted" in found, found
