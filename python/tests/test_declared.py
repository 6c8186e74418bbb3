"""Scales, weights and categories: what is declared about columns beside their bounds."""

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import shoal

BOUNDS = {"age": (0, 100), "income": (1000, 1_000_000)}
GENDER = {"gender": ["F", "M"]}
FULL = dict(bounds=BOUNDS, scale={"income": "log"}, weight={"age": 2, "gender": 0.3}, categories=GENDER)


@pytest.fixture(scope="module")
def people():
    """Two groups; a third gender, which is no level, and gaps among the words."""
    rng = np.random.default_rng(4)
    ages = np.concatenate([rng.normal(30, 3, 900), rng.normal(70, 3, 900)]).round(1)
    incomes = np.concatenate([rng.lognormal(8, 0.2, 900), rng.lognormal(11, 0.2, 900)]).round()
    gender = np.array(["F"] * 700 + ["M"] * 180 + ["X"] * 20 + ["M"] * 800 + ["F"] * 90 + ["X"] * 10, dtype=object)
    return pd.DataFrame({"age": ages, "income": incomes, "gender": gender})


@pytest.fixture(scope="module")
def gaps(people):
    return people.assign(gender=people["gender"].where(np.arange(1800) % 50 != 7, None))


def fit(X, **given):
    return shoal.KMeans(2, **{**dict(epsilon=5, seed=1, method="dplloyd"), **FULL, **given}).fit(X)


def tables(df, folder):
    """The same table in all forms."""
    df.to_csv(folder / "people.csv", index=False)
    arrow = pa.Table.from_pandas(df, preserve_index=False)
    pa.parquet.write_table(arrow, folder / "people.parquet")
    words = arrow["gender"]
    place = arrow.schema.get_field_index("gender")
    swapped = lambda column: arrow.set_column(place, "gender", column)
    polars = pl.from_arrow(arrow)
    chunks = pa.concat_tables([arrow.slice(0, 11), arrow.slice(11, 700), arrow.slice(711)])
    return {
        "csv": folder / "people.csv",
        "parquet": folder / "people.parquet",
        "pandas": df,
        "pandas category": df.astype({"gender": "category"}),
        "pandas string": df.astype({"gender": "string"}),
        "pandas arrow string": df.astype({"gender": "string[pyarrow]"}),
        "arrow": arrow,
        "arrow chunks": chunks,
        "arrow large": swapped(words.cast(pa.large_string())),
        "arrow dictionary": swapped(words.dictionary_encode()),
        "arrow view": swapped(words.cast(pa.string_view())),
        "polars": polars,
        "polars categorical": polars.with_columns(pl.col("gender").cast(pl.Categorical)),
        "polars enum": polars.with_columns(pl.col("gender").cast(pl.Enum(["X", "M", "F"]))),
        "columns in another order": df[["gender", "income", "age"]],
        "more columns": df.assign(name="x", born=pd.Timestamp("2000-01-01")),
    }


@pytest.mark.parametrize("missing", ["refuse", "drop", "middle", "category"])
def test_words_of_all_kinds_of_tables(people, gaps, tmp_path, missing):
    df = people if missing == "refuse" else gaps
    forms = tables(df, tmp_path)
    same = fit(forms.pop("csv"), missing=missing)
    levels = ["gender=F", "gender=M"] + ["gender=missing"] * (missing == "category")
    assert same.model_.columns == ["age", "income", *levels]
    labels = same.predict(df)
    assert (labels < 0).sum() == (36 if missing == "drop" else 0)
    for form, table in forms.items():
        found = fit(table, missing=missing)
        assert (found.cluster_centers_ == same.cluster_centers_).all(), form
        assert found.model_.to_dict() == same.model_.to_dict(), form
        assert (found.predict(table) == labels).all() and found.score(table) == same.score(df), form
        assert (found.transform(people) == same.transform(people)).all(), form


def test_gaps_are_refused_by_default(gaps):
    with pytest.raises(shoal.DataError, match="gender"):
        fit(gaps)


def test_shares_and_geometric_means(people):
    model = fit(people, epsilon=20, method="auto")
    centres = model.cluster_centers_[np.argsort(model.cluster_centers_[:, 0])]
    assert np.allclose(centres[:, 0], [30, 70], atol=2)
    logs = np.log(people["income"])
    assert np.allclose(np.log(centres[:, 1]), [logs[:900].mean(), logs[900:].mean()], atol=0.2)
    assert np.allclose(centres[:, 2], [700 / 900, 90 / 900], atol=0.05)
    assert list(model.feature_names_in_) == ["age", "income", "gender"] and model.n_features_in_ == 3
    assert model.model_.scales == {"income": "log"} and model.model_.categories == GENDER
    weights = model.model_.weights
    assert weights["age"] == 2 and weights["income"] == 1 and 0 < weights["gender=F"] < 0.3
    assert "gender=F 0.099" in str(model.model_) and "Shares of " in model._repr_html_()


def test_weights_decide_what_counts(people):
    """Where one column has all the weight, clusters follow it."""
    rng = np.random.default_rng(1)
    X = np.column_stack([np.repeat([20.0, 80.0], 1000), np.tile([20.0, 80.0], 1000)]) + rng.normal(0, 1, (2000, 2))
    for place in (0, 1):
        model = shoal.KMeans(2, epsilon=20, bounds=(0, 100), weight={f"x{place}": 50}, seed=1).fit(X)
        found = np.sort(model.cluster_centers_, axis=0)
        assert np.allclose(found[:, place], [20, 80], atol=3) and np.allclose(found[:, 1 - place], [50, 50], atol=10)


def test_text_as_for_the_program(people, tmp_path):
    (tmp_path / "levels.txt").write_text("F\n\nM\n")
    same = fit(people).model_.to_dict()
    given = dict(scale="income=log", weight="age=2,gender=0.3", bounds="age=0:100,income=1000:1000000")
    for levels in ("gender=F|M", {"gender": "F|M"}, {"gender": tmp_path / "levels.txt"}, {"gender": ("F", "M")}):
        assert fit(people, **given, categories=levels).model_.to_dict() == same
    stretched = fit(people, scale={"income": "rank:1000,5000,50000,1000000"}).model_
    assert stretched.scales == {"income": "rank:1000,5000,50000,1000000"}


def test_whole_numbers_and_booleans_are_words(tmp_path):
    rng = np.random.default_rng(2)
    df = pd.DataFrame({"age": rng.uniform(0, 100, 500).round(1), "smoker": rng.uniform(size=500) < 0.3, "class": rng.integers(1, 4, 500)})
    given = dict(bounds={"age": (0, 100)}, scale=None, weight=None, categories={"smoker": [True], "class": [1, 2]})
    same = fit(df, **given)
    assert same.model_.columns == ["age", "smoker=true", "class=1", "class=2"]
    df.assign(smoker=df["smoker"].map({True: "true", False: "false"})).to_csv(tmp_path / "people.csv", index=False)
    rows = np.empty((500, 3), dtype=object)
    rows[:, 0], rows[:, 1], rows[:, 2] = df["age"], df["smoker"], df["class"]
    by_place = fit(rows, **{**given, "bounds": {"x0": (0, 100)}, "categories": {"x1": [True], "x2": [1, 2]}})
    assert (by_place.cluster_centers_ == same.cluster_centers_).all()
    assert (by_place.predict(rows.tolist()) == same.predict(df)).all()
    for table in (pa.Table.from_pandas(df), pl.from_pandas(df), tmp_path / "people.csv", df.convert_dtypes(),
                  df.astype({"class": "float64"}), df.astype({"class": "int8"}), df.astype({"class": "category", "smoker": "category"})):
        assert (fit(table, **given).cluster_centers_ == same.cluster_centers_).all()


def test_categories_alone(people, tmp_path):
    df = people[["gender"]].assign(region=["north", "south"] * 900)
    given = dict(bounds=None, scale=None, weight=None, categories={**GENDER, "region": ["north"]})
    same = fit(df, **given)
    assert same.model_.columns == ["gender=F", "gender=M", "region=north"]
    df.to_csv(tmp_path / "people.csv", index=False)
    # Other columns are left alone, as for bounds that name columns.
    for table in (tmp_path / "people.csv", pl.from_pandas(df), df.assign(name="x", age=3.0), df.to_numpy()):
        if isinstance(table, np.ndarray):
            given["categories"] = {"x0": ["F", "M"], "x1": ["north"]}
        assert (fit(table, **given).cluster_centers_ == same.cluster_centers_).all()


def test_all_numbers_beside_categories(people):
    """One pair of bounds is for all columns that are no categories."""
    df = people[["age", "gender"]].assign(hours=people["age"] / 2)
    given = dict(scale=None, weight=None, categories=GENDER)
    for bounds in ((0, 100), [(0, 100), (0, 100)], {"age": (0, 100), "hours": (0, 100)}):
        assert fit(df, **given, bounds=bounds).model_.columns == ["age", "hours", "gender=F", "gender=M"]
    assert fit(df, **given, bounds=[(0, 100)], columns=["age", "gender"]).model_.columns == ["age", "gender=F", "gender=M"]
    bought = shoal.KMeans(1, epsilon=2, bounds="auto:20%", weight={"age": 2}).fit(df[["age", "hours"]])
    assert bought.model_.weights["age"] == 2


def test_persons_with_words(people):
    df = people.assign(name=[f"p{i % 600}" for i in range(1800)])
    model = fit(df, person="name")
    assert "one person, with all their rows" in fit(df, person="name", seed=None).guarantee_
    assert model.model_.columns == ["age", "income", "gender=F", "gender=M"]
    with pytest.raises(shoal.Error, match="gender"):
        fit(df, person="gender")


def test_models_are_saved_with_all_of_it(people, tmp_path):
    model = fit(people).model_
    model.save(tmp_path / "model.json")
    for again in (shoal.Model.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):
        assert again.to_dict() == model.to_dict() and (again.predict(people) == model.predict(people)).all()
        assert shoal.score(again, people) == shoal.score(model, people)
    assert json.dumps(shoal.compare(model, model))
    # A model says what becomes of gaps, too.
    dropped = fit(people.assign(gender=people["gender"].where(people["gender"] != "X")), missing="drop").model_
    assert (dropped.predict(people.assign(gender=None)) == -1).all()


def test_cells_keep_them(people, tmp_path):
    given = dict(method="tree", keep_cells=True, seed=None)
    cells = fit(people, **given).model_.synopsis
    cells.save(tmp_path / "cells.parquet")
    again = shoal.Synopsis.load(tmp_path / "cells.parquet").cluster(3)
    assert again.categories == GENDER and again.scales == {"income": "log"} and again.spent["epsilon"] == 0
    assert again.predict(people).max() <= 2


def test_plan(people):
    planned = shoal.plan(30_000, n_clusters=4, epsilon=1, bounds=BOUNDS, scale={"income": "log"}, weight={"age": 2}, categories=GENDER)
    assert planned["dims"] == 4 and planned["levels"] == 2
    names = [column["column"] for column in planned["columns"]]
    assert names == ["age", "income", "shares of gender"] and planned["columns"][1]["around"] == pytest.approx(31_623, rel=0.01)
    plain = shoal.plan(30_000, n_clusters=4, epsilon=1, bounds=BOUNDS)
    assert plain["columns"][0]["plus_minus"] < planned["columns"][0]["plus_minus"]
    needed = shoal.plan(30_000, n_clusters=4, bounds=BOUNDS, categories="gender=F|M", target="age=1")
    assert needed["epsilon"]
    with pytest.raises(shoal.UsageError, match="rename"):
        shoal.plan(30_000, 1, 4, 1, categories={"region": ["north, east"]})


@pytest.mark.parametrize("given", [
    dict(categories={"gender": []}),
    dict(categories={"gender": ["F", "F"]}),
    dict(categories={"gender": ["F", ""]}),
    dict(categories={"gender": ["F", None]}),
    dict(categories={"gender": ["F", float("nan")]}),
    dict(categories={"gender": [" F"]}),
    dict(categories={"gender": ["F", "other"]}),
    dict(categories={"gender": ["F", "missing"]}, missing="category"),
    dict(categories={"gender": [str(i) for i in range(501)]}),
    dict(categories={"gender": 3}),
    dict(categories={"gender": {"F": 1}}),
    dict(categories={"gender": "no_such_file.txt"}),
    dict(categories={"nothing": ["a"]}),
    dict(categories={"age": ["30"]}),
    dict(categories=["gender"]),
    dict(categories="gender"),
    dict(categories="gender="),
    dict(categories="gender=F|F"),
    dict(categories="gender=F|M,X"),
    dict(categories="=F|M"),
    dict(categories=""),
    dict(scale={"age": "log"}),
    dict(scale={"age": "cubic"}),
    dict(scale={"age": 2}),
    dict(scale={"income": "rank:1,2"}),
    dict(scale={"income": "rank:5,1"}),
    dict(scale={"gender": "log"}),
    dict(scale={"nothing": "log"}),
    dict(scale="age"),
    dict(scale=["age"]),
    dict(weight={"age": 0}),
    dict(weight={"age": -1}),
    dict(weight={"age": float("nan")}),
    dict(weight={"age": float("inf")}),
    dict(weight={"age": "2"}),
    dict(weight={"age": True}),
    dict(weight={"age": 1e-6}),
    dict(weight={"nothing": 1}),
    dict(weight="age=0"),
    dict(weight="age"),
    dict(weight=2),
    dict(missing="category", categories=None, weight=None),
    dict(bounds="auto:10%", scale=None),
    dict(bounds="auto:10%", categories=None, weight=None),
], ids=str)
def test_bad_input_costs_nothing(people, tmp_path, given):
    ledger = shoal.Ledger(tmp_path / "shoal.ledger")
    ledger.init("people", epsilon=5)
    paid = dict(epsilon=1, ledger=ledger, dataset="people")
    with pytest.raises(shoal.Error) as refused:
        shoal.KMeans(2, **{**FULL, **paid, **given}).fit(people)
    assert isinstance(refused.value, ValueError) and "--" not in str(refused.value)
    asked = []
    with pytest.raises(shoal.Error):
        shoal.fit_on(lambda question: asked.append(question) or shoal.answer(question, people), 2, **{**FULL, **paid, **given})
    assert ledger.entries("people") == []


def test_what_has_no_words(people):
    for column in (pa.array([[1]] * 1800), pa.array([0] * 1800, pa.date32()), pa.array([{"a": 1}] * 1800)):
        table = pa.Table.from_pandas(people[["age", "income"]], preserve_index=False).append_column("gender", column)
        with pytest.raises(shoal.DataTypeError, match="gender"):
            fit(table)
    for column in ([[1]] * 1800, [b"F"] * 1800, pd.Timestamp("2000-01-01"), 1j, pd.Timedelta("1h")):
        with pytest.raises(shoal.DataTypeError, match="gender"):
            fit(people.assign(gender=column))
    with pytest.raises(shoal.DataError, match="gender"):
        fit(people).predict(people[["age", "income"]])
    with pytest.raises(shoal.DataError, match="twice"):
        fit(pd.concat([people, people[["gender"]]], axis=1))


@pytest.mark.parametrize("method", ["auto", "dplloyd", "tree"])
@pytest.mark.parametrize("missing", ["drop", "category"])
def test_workers_find_the_same_bit_for_bit(gaps, method, missing):
    given = dict(epsilon=5, seed=1, method=method, missing=missing, **FULL)
    local = shoal.KMeans(2, **given).fit(gaps).model_.to_dict()
    parts = [gaps[:500], pl.from_pandas(gaps[500:1100]), pa.Table.from_pandas(gaps[1100:])]

    def ask(question):
        sent = pickle.loads(pickle.dumps(question))
        assert sent.columns == ["age", "income", "gender"] and sent.categories == ["gender"]
        assert sent.to_bytes() == question.to_bytes()
        return shoal.merge(question, [shoal.answer(sent.to_bytes(), part) for part in parts])

    assert shoal.fit_on(ask, 2, **given).to_dict() == local


def test_workers_with_categories_alone(people):
    given = dict(seed=1, method="dplloyd", categories=GENDER)
    local = shoal.KMeans(2, **given).fit(people[["gender"]]).model_.to_dict()
    assert shoal.fit_on(lambda question: shoal.answer(question, people), 2, **given).to_dict() == local


def test_words_are_part_of_what_a_ledger_knows_a_table_by(people, tmp_path):
    """Two tables that differ in words alone are two tables."""
    ledger = shoal.Ledger(tmp_path / "shoal.ledger")
    ledger.init("people", epsilon=5)
    ledger.init("others", epsilon=5)
    given = dict(epsilon=1, bounds=None, categories=GENDER)
    words, turned = people[["gender"]], people[["gender"]].replace({"F": "M", "M": "F"})
    shoal.KMeans(2, **given, ledger=ledger, dataset="people").fit(words)
    shoal.KMeans(2, **given, ledger=ledger, dataset="others").fit(turned)
    with pytest.raises(shoal.BudgetError):
        shoal.KMeans(2, **given, ledger=ledger, dataset="others").fit(words)
