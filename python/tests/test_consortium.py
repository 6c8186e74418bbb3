"""Several custodians: merging what each of them released, and codes of records."""

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


@pytest.fixture(scope="module")
def releases():
    fit = lambda seed: shoal.KMeans(2, epsilon=1, bounds=BOUNDS, keep_cells=True, method="tree").fit(
        pd.DataFrame(table(seed, 1000), columns=["age", "hours"])
    )
    return {"north": fit(1), "south": fit(2), "east": fit(3)}


def test_models_are_merged(releases, tmp_path):
    merged = consortium.merge(releases, 2, seed=1)
    assert np.abs(np.sort(merged.centers, axis=0) - [[20, 20], [80, 80]]).max() < 5
    assert "ε = 1" in merged.guarantee and "nobody is in the tables of two custodians" in merged.guarantee
    assert merged.spent["epsilon"] == 0 and merged.method == "merge/models"
    assert [one["name"] for one in merged.to_dict()["merged_from"]["custodians"]] == ["north", "south", "east"]
    # Files, which anyone may have got, give the same; they are named after themselves.
    for name, fitted in releases.items():
        fitted.model_.save(tmp_path / f"{name}.json")
    files = [tmp_path / "north.json", str(tmp_path / "south.json"), tmp_path / "east.json"]
    assert consortium.merge(files, 2, seed=1).to_dict() == merged.to_dict()
    listed = consortium.merge(list(releases.values()), 2, seed=1)
    assert (listed.centers == merged.centers).all()
    assert consortium.merge(releases, 2, match_with=merged, reruns=0).centers.shape == (2, 2)
    assert merged.predict(table(1)).shape == (60,)


def test_cells_are_merged(releases):
    cells = [fitted.model_.synopsis for fitted in releases.values()]
    merged = consortium.merge(cells, "auto")
    assert merged.method == "merge/synopses" and len(merged.centers) == 2


def test_what_cannot_be_merged(releases):
    north, south = releases["north"], releases["south"]
    other = shoal.KMeans(2, epsilon=1, bounds={"age": (0, 90), "hours": (0, 100)}).fit(pd.DataFrame(table(1, 500), columns=["age", "hours"]))
    for given, k in [
        ([], 2), ([north], 2), (north, 2), (north.model_, 2), ("north.json", 2), (3, 2), ([north, north], 2), ([north, other], 2),
        ([north, south.model_.synopsis], 2), ([north, 3], 2), ({"north": north, "south": "south.json"}, 2),
        (["no_such_file.json", "nor_this.json"], 2), ([north, south], "auto"), ([north, south], 0), ([north, south], 2000),
        ([north, shoal.KMeans()], 2),
    ]:
        with pytest.raises(shoal.Error):
            consortium.merge(given, k)


def test_seeded_releases_have_no_guarantee(releases):
    seeded = shoal.KMeans(2, epsilon=1, bounds=BOUNDS, seed=1, method="dplloyd").fit(pd.DataFrame(table(5, 500), columns=["age", "hours"]))
    assert "NO PRIVACY" in consortium.merge([releases["north"], seeded], 2).guarantee.upper() or "no guarantee" in consortium.merge(
        [releases["north"], seeded], 2
    ).guarantee.lower()


def test_the_ways_are_planned():
    planned = consortium.plan(50_000, 4, n_clusters=5, epsilon=1, bounds=BOUNDS)
    assert planned["recommended"] == "merge" and planned["custodians"] == 4
    assert {way["way"] for way in planned["ways"]} == {"one-table", "merge", "own-noise", "split-trust", "codes"}
    assert "merge" in str(planned) and "Nothing is read" in str(planned) and "--" not in str(planned)
    assert "No way" in str(consortium.plan(60, 20, 8, 6, 0.1))
    for wrong in [dict(rows=0), dict(custodians=1), dict(custodians=10**6), dict(dims=0), dict(epsilon=-1), dict(spread=2.0)]:
        with pytest.raises(shoal.UsageError):
            consortium.plan(**{**dict(rows=50_000, custodians=4, dims=2, n_clusters=5), **wrong})
