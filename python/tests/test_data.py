"""Tables as they come give the same model, bit for bit."""

import os
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import shoal

BOUNDS = {"age": (0, 100), "hours": (0, 100)}


def centres(X, **params):
    given = dict(n_clusters=2, epsilon=1.0, bounds=BOUNDS, seed=1, method="dplloyd")
    return shoal.KMeans(**{**given, **params}).fit(X).cluster_centers_


@pytest.fixture(scope="module")
def whole():
    rng = np.random.default_rng(2)
    return np.concatenate([rng.normal((30, 20), 3, (700, 2)), rng.normal((70, 80), 3, (700, 2))]).round().clip(0, 100)


@pytest.fixture(scope="module")
def same(whole):
    return centres(whole, bounds=(0, 100))


@pytest.mark.parametrize("dtype", [
    "f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", ">f8", "<i4", ">i2", "longdouble",
])
def test_every_type_of_number(whole, same, dtype):
    assert (centres(whole.astype(dtype), bounds=(0, 100)) == same).all()


def test_views_and_orders(whole, same):
    wide = np.zeros((len(whole) * 2, 4))
    wide[::2, ::2] = whole
    record = np.zeros(len(whole), dtype=[("flag", "i1"), ("xy", "f8", 2)])
    record["xy"] = whole
    views = [np.asfortranarray(whole), wide[::2, ::2], whole[::-1][::-1], whole[:, ::-1][:, ::-1], record["xy"], whole.tolist()]
    assert not record["xy"].flags.aligned
    for view in views:
        assert (centres(view, bounds=(0, 100)) == same).all()
    # The order of rows does not matter to this method, so a view that runs backwards is the same table.
    assert (centres(whole[::-1], bounds=(0, 100)) == same).all()


def test_the_array_is_not_written_to(whole):
    frozen = whole.copy()
    frozen.flags.writeable = False
    centres(frozen, bounds=(0, 100))
    assert (frozen == whole).all()


def frame(whole):
    return pd.DataFrame(whole, columns=["age", "hours"])


def test_pandas(whole, same):
    df = frame(whole)
    for table in [df, df.astype("int32"), df.astype("Int64"), df.astype("Float64"), df[["hours", "age"]], df.assign(name="x"),
                  df.astype({"age": "float32", "hours": "UInt8"}), df.convert_dtypes(), df.astype("int64[pyarrow]")]:
        assert (centres(table) == same).all()
    model = shoal.KMeans(2, bounds=BOUNDS, seed=1, method="dplloyd").fit(df)
    assert list(model.feature_names_in_) == ["age", "hours"]
    assert (model.predict(df[["hours", "age"]]) == model.predict(df)).all()


def test_missing_values_of_pandas(whole):
    df = frame(whole).astype("Int64")
    df.loc[3, "age"] = pd.NA
    with pytest.raises(shoal.DataError, match="row 4"):
        centres(df)
    assert centres(df, missing="drop").shape == (2, 2)


def test_categories_are_refused(whole):
    df = frame(whole).assign(job=pd.Categorical(["a", "b"] * 700))
    assert centres(df).shape == (2, 2)
    with pytest.raises(shoal.DataError, match="categories") as refused:
        centres(df, bounds={**BOUNDS, "job": (0, 1)})
    assert refused.value.code == "column-type" or refused.value.code


def test_arrow(whole, same):
    table = pa.table({"age": whole[:, 0], "hours": whole[:, 1].astype("i4"), "name": ["x"] * len(whole)})
    chunks = pa.concat_tables([table.slice(0, 13), table.slice(13, 500), table.slice(513)])
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=100))
    for data in [table, chunks, reader, table.to_batches()[0]]:
        assert (centres(data) == same).all()


def test_nulls_of_arrow(whole):
    table = pa.table({"age": pa.array([None, *whole[1:, 0]]), "hours": whole[:, 1]})
    with pytest.raises(shoal.DataError, match="row 1"):
        centres(table)
    assert centres(table, missing="middle").shape == (2, 2)


def test_polars(whole, same):
    df = pl.DataFrame({"age": whole[:, 0], "hours": whole[:, 1].astype("u1"), "name": "x"})
    assert (centres(df) == same).all()
    assert (centres(pl.concat([df.slice(0, 5), df.slice(5)], rechunk=False)) == same).all()


def test_files(whole, same, tmp_path):
    frame(whole).to_csv(tmp_path / "people.csv", index=False)
    pa.parquet.write_table(pa.table({"age": whole[:, 0], "hours": whole[:, 1]}), tmp_path / "people.parquet")
    for path in [tmp_path / "people.csv", str(tmp_path / "people.parquet")]:
        assert (centres(path) == same).all()
    model = shoal.KMeans(2, bounds=BOUNDS, seed=1, method="dplloyd").fit(tmp_path / "people.csv")
    assert (model.predict(tmp_path / "people.csv") == model.predict(frame(whole))).all()


@pytest.mark.skipif(not os.environ.get("SHOAL_PROGRAM"), reason="SHOAL_PROGRAM names the program; test.sh sets it where it is built")
@pytest.mark.parametrize("method", ["dplloyd", "auto"])
def test_the_program_finds_the_same(whole, tmp_path, method):
    """A seeded fit of a file is that of the program, down to the last bit."""
    pa.parquet.write_table(pa.table({"age": whole[:, 0], "hours": whole[:, 1]}), tmp_path / "people.parquet")
    command = "fit people.parquet -k 2 --epsilon 1 --bounds age=0:100,hours=0:100 --seed 1 --out model.json --method"
    subprocess.run([os.environ["SHOAL_PROGRAM"], *command.split(), method], cwd=tmp_path, check=True, capture_output=True)
    program = shoal.Model.load(tmp_path / "model.json").to_dict()
    for table in (frame(whole), tmp_path / "people.parquet"):
        here = shoal.KMeans(2, epsilon=1.0, bounds=BOUNDS, seed=1, method=method).fit(table).model_.to_dict()
        assert here == program


def test_files_that_are_written_in_another_way(whole, same, tmp_path):
    path = tmp_path / "people.txt"
    frame(whole).assign(hours=whole[:, 1] + 0.5).to_csv(path, index=False, sep=";", decimal=",")
    shifted = frame(whole).assign(hours=whole[:, 1] + 0.5)
    written = {"delimiter": ";", "decimal": "comma"}
    assert (centres(path, reading=written) == centres(shifted)).all()
    frame(whole).to_csv(path, index=False, header=False)
    model = shoal.KMeans(2, bounds={"c1": (0, 100), "c2": (0, 100)}, seed=1, method="dplloyd", reading={"header": False}).fit(path)
    assert (model.cluster_centers_ == same).all()
    # The model knows how its table was written.
    assert (model.predict(path) == model.predict(whole)).all()
    found = shoal.private_bounds(path, 1, reading={"header": False})
    assert list(found.bounds) == ["c1", "c2"]
    for wrong in ({"delimiter": "::"}, {"decimal": "."}, {"dates": "ymd"}, {"header": 0}, {"sheet": 1}, {"multiline": "yes"}):
        with pytest.raises(shoal.UsageError, match=next(iter(wrong))):
            centres(path, reading=wrong)


class Stream:
    """Anything with the PyCapsule interface, and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def test_any_capsule(whole, same):
    assert (centres(Stream(pa.table({"age": whole[:, 0], "hours": whole[:, 1]}))) == same).all()
