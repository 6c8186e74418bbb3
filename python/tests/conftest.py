import numpy as np
import pytest


@pytest.fixture(scope="session")
def people():
    """Two groups in two columns."""
    rng = np.random.default_rng(7)
    return np.concatenate([rng.normal((30, 20), 3, (1500, 2)), rng.normal((70, 80), 3, (1500, 2))])


@pytest.fixture
def quick():
    """Parameters of a quick, repeatable fit."""
    return dict(n_clusters=2, epsilon=1.0, bounds=(0, 100), seed=1, method="dplloyd")
