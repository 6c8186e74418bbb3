"""Codes of several custodians: what they agree on, what they send, and what an aggregator finds."""

import os
import stat

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal import consortium

BOUNDS = {"age": (0, 100), "hours": (0, 100)}


def table(seed, rows=30):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal((20, 20), 2, (rows, 2)), rng.normal((80, 80), 2, (rows, 2))])


@pytest.fixture(scope="module")
def agreed():
    return consortium.Agreement(BOUNDS, epsilon=2, bits=200)


def test_two_custodians_and_an_aggregator(agreed, tmp_path):
    north = consortium.encode(table(1), agreed, max_epsilon=800)
    south = consortium.encode(pd.DataFrame(table(2, 20), columns=["age", "hours"])[["hours", "age"]], agreed, max_epsilon=800)
    assert (north.rows, south.rows) == (60, 40) and north.clamped == north.dropped == 0
    assert "ε = " in north.guarantee and "ε = " in agreed.guarantee
    found = consortium.cluster([north, south], 2, seed=1)
    truth = np.concatenate([np.repeat([0, 1], 30), np.repeat([0, 1], 20)])
    assert (found.labels == truth).all() or (found.labels == 1 - truth).all()
    assert found.source.tolist() == [0] * 60 + [1] * 40 and found.ids is None
    assert sorted(one["size"] for one in found.clusters) == [50, 50] and found.converged
    assert found.guarantee
    # Files are the same.
    north.save(tmp_path / "north.parquet")
    south.save(tmp_path / "south.parquet")
    again = consortium.cluster([tmp_path / "north.parquet", str(tmp_path / "south.parquet")], 2, seed=1)
    assert (again.labels == found.labels).all()
    with pytest.raises(FileExistsError):
        north.save(tmp_path / "north.parquet")


def test_other_methods(agreed):
    codes = consortium.encode(table(3), agreed, max_epsilon=800)
    tree = consortium.cluster(codes, 2, method="hierarchical", linkage="average")
    dense = consortium.cluster(codes, method="dbscan", radius=0.5, min_points=4)
    assert len(set(tree.labels)) == 2 and len(dense.labels) == 60
    with pytest.raises(shoal.UsageError, match="radius"):
        consortium.cluster(codes, method="dbscan")
    with pytest.raises(shoal.UsageError, match="n_clusters"):
        consortium.cluster(codes)
    for wrong in [dict(method="magic"), dict(metric="magic"), dict(consistency="magic"), dict(linkage="single")]:
        with pytest.raises(shoal.UsageError):
            consortium.cluster(codes, 2, **wrong)
    with pytest.raises(shoal.Error, match="61 clusters"):
        consortium.cluster(codes, 61)


def test_distances(agreed):
    codes = consortium.encode(table(4), agreed, max_epsilon=800)
    (first, second, near), (_, _, far) = consortium.distances(codes, [(0, 1), (0, 59)])
    assert (first, second) == (0, 1) and near < far
    assert len(consortium.distances(codes)) == 60 * 59 // 2


def test_names_travel_in_the_clear(agreed):
    df = pd.DataFrame(table(5), columns=["age", "hours"]).assign(name=[f"p{i}" for i in range(60)])
    df.loc[3, "age"] = np.nan
    codes = consortium.encode(df, agreed, max_epsilon=800, id="name", missing="drop")
    assert codes.rows == 59 and codes.dropped == 1
    found = consortium.cluster(codes, 2)
    assert found.ids[:4] == ["p0", "p1", "p2", "p4"]
    with pytest.raises(shoal.UsageError, match="id"):
        consortium.encode(df, agreed, max_epsilon=800, missing="drop")


def test_an_own_table_of_other_columns():
    whole = table(6)
    agreed = consortium.Agreement({"age": (0, 100)}, epsilon=1, bits=100)
    codes = consortium.encode(whole[:, :1], agreed, max_epsilon="1e6", pairs=True)
    own = pd.DataFrame({"hours": whole[:, 1]})
    found = consortium.cluster(codes, 2, own=own, own_bounds={"hours": (0, 100)}, seed=1)
    assert len(found.labels) == 60
    with pytest.raises(shoal.UsageError, match="own_bounds"):
        consortium.cluster(codes, 2, own=own)


def test_a_custodian_has_a_limit(agreed):
    with pytest.raises(shoal.Error, match="limit"):
        consortium.encode(table(1), agreed)
    with pytest.raises(shoal.Error) as over:
        consortium.encode(table(1), agreed, max_epsilon=10)
    assert over.value.code == "over-limit" and "--" not in str(over.value)
    with pytest.warns(shoal.NotPrivateWarning):
        seeded = consortium.encode(table(1), agreed, seed=1)
    assert "NO PRIVACY" in seeded.guarantee or seeded.guarantee


def test_agreements_are_secrets(agreed, tmp_path):
    path = tmp_path / "agreed.json"
    agreed.save(path)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with pytest.raises(shoal.UsageError, match="already"):
        agreed.save(path)
    again = consortium.Agreement.load(path)
    assert again.fingerprint == agreed.fingerprint and again.columns == ["age", "hours"]
    secret = agreed.to_json().split('"')
    assert agreed.fingerprint in repr(agreed) and max(secret, key=len) not in repr(agreed)
    assert agreed.price()["terms"]
    with pytest.raises(shoal.Error):
        consortium.Agreement.from_json("{}")


@pytest.mark.parametrize("wrong", [
    dict(bits=0), dict(bits=2.5), dict(epsilon=0), dict(epsilon="x"), dict(bounds=(0, 1)), dict(bounds={}), dict(window=-1),
    dict(bounds={"age": (1, 0)}),
])
def test_what_cannot_be_agreed_on(wrong):
    with pytest.raises(shoal.Error):
        consortium.Agreement(**{**dict(bounds=BOUNDS, epsilon=1), **wrong})


def test_bad_codes(agreed):
    codes = consortium.encode(table(1), agreed, max_epsilon=800)
    other = consortium.encode(table(1), consortium.Agreement(BOUNDS, epsilon=2, bits=200), max_epsilon=800)
    for wrong in [b"", b"nonsense", codes.data[:-9], [], "/nowhere/codes.parquet", [codes, other], [codes, codes]]:
        with pytest.raises(shoal.Error):
            consortium.cluster(wrong, 2)
    for bad in [np.full((3, 2), np.nan), np.zeros((3, 3)), pd.DataFrame({"age": [1.0]}), [["a", "b"]]]:
        with pytest.raises(shoal.Error):
            consortium.encode(bad, agreed, max_epsilon=800)
