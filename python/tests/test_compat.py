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
