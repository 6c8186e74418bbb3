"""Rows on two executors give the model of rows in one place, bit for bit. Run by `./test.sh spark`."""

import os
import sys

import numpy as np
import pandas as pd
import pytest

import shoal
import shoal.spark

BOUNDS = {"age": (0, 100), "hours": (0, 100)}


@pytest.fixture(scope="session")
def spark():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.executor.memory", "1g")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "700")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def table():
    rng = np.random.default_rng(3)
    rows = np.concatenate([rng.normal((30, 20), 3, (6000, 2)), rng.normal((70, 80), 3, (6001, 2))])
    return pd.DataFrame(rows, columns=["age", "hours"]).assign(who=np.arange(12_001))


@pytest.fixture(scope="session")
def people(spark, table):
    return spark.createDataFrame(table).repartition(5).cache()


def test_there_are_two_executors(spark, people):
    def where(batches):
        import os

        import pyarrow

        for _ in batches:
            pass
        # Each executor is a JVM of its own, with Python workers of its own.
        yield pyarrow.RecordBatch.from_pydict({"parent": [os.getppid()]})

    found = {row["parent"] for row in people.mapInArrow(where, "parent long").collect()}
    assert len(found) == 2
    assert spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() == 3, "two executors and the driver"


@pytest.mark.parametrize("method", ["auto", "dplloyd", "eugkm", "hybrid"])
def test_the_same_bit_for_bit(people, table, method):
    given = dict(n_clusters=2, epsilon=1, bounds=BOUNDS, seed=9, method=method)
    far = shoal.spark.KMeans(**given).fit(people)
    here = shoal.KMeans(**given).fit(table)
    assert (far.cluster_centers_ == here.cluster_centers_).all()
    assert far.model_.to_dict() == here.model_.to_dict()


def test_partial_answers_are_the_same_integers(people, table):
    """Not only the models: the bytes that the noise is added to."""
    seen = []

    def ask(question):
        work = shoal.spark._answers(question.to_bytes())
        answers = people.select("age", "hours").mapInArrow(work, "answer binary").collect()
        far = shoal.merge(question, [row["answer"] for row in answers])
        here = shoal.answer(question, table)
        seen.append(far == here)
        return here

    shoal.fit_on(ask, 2, epsilon=1, bounds=BOUNDS, seed=9, method="dplloyd")
    assert seen and all(seen)


@pytest.mark.parametrize("missing", ["middle", "category"])
def test_scales_weights_and_categories(spark, table, missing):
    """They travel with the question: words become the same integers on the executors."""
    words = table.assign(job=np.where(table["who"] % 3 == 0, "cook", "baker"), member=table["who"] % 2 == 0)
    words.loc[table["who"] % 11 == 5, "job"] = None
    given = dict(
        n_clusters=2, epsilon=1, bounds={"age": (1, 100), "hours": (0, 100)}, scale={"age": "log"}, weight={"hours": 2},
        categories={"job": ["cook"], "member": [True]}, missing=missing, seed=9, method="dplloyd",
    )
    rows = spark.createDataFrame(words).repartition(5).cache()
    far, here = shoal.spark.KMeans(**given).fit(rows), shoal.KMeans(**given).fit(words)
    assert far.model_.to_dict() == here.model_.to_dict()
    found = far.predict(rows).toPandas().sort_values("who")
    assert (found["cluster"].to_numpy() == here.predict(words)).all()
    with pytest.raises(shoal.DataError):
        shoal.spark.KMeans(**{**given, "categories": {"nothing": ["a"]}}).fit(rows)
    with pytest.raises(shoal.DataError):
        shoal.spark.KMeans(**{**given, "categories": {"at": ["a"]}}).fit(rows.selectExpr("age", "hours", "current_date() as at"))


def test_labels(people, table):
    model = shoal.spark.KMeans(2, epsilon=1, bounds=BOUNDS, seed=1).fit(people)
    found = model.predict(people).toPandas().sort_values("who")
    assert (found["cluster"].to_numpy() == model.model_.predict(table)).all()
    assert list(found.columns) == ["age", "hours", "who", "cluster"]
    with pytest.raises(shoal.UsageError):
        model.predict(people, column="age")


def test_empty_partitions_and_empty_tables(spark, table):
    few = spark.createDataFrame(table[:3]).repartition(6)
    here = shoal.KMeans(1, bounds=BOUNDS, seed=2, method="dplloyd").fit(table[:3])
    assert (shoal.spark.KMeans(1, bounds=BOUNDS, seed=2, method="dplloyd").fit(few).cluster_centers_ == here.cluster_centers_).all()


def test_bad_rows_cost_nothing(spark, table, tmp_path):
    ledger = shoal.Ledger(tmp_path / "shoal.ledger")
    ledger.init("people", epsilon=2)
    gaps = table.astype({"age": object})
    gaps.loc[7, "age"] = None
    gaps = spark.createDataFrame(gaps.astype({"age": "Float64"}).convert_dtypes())
    fit = shoal.spark.KMeans(2, epsilon=1, bounds=BOUNDS, ledger=ledger, dataset="people")
    with pytest.raises(shoal.Error):
        fit.fit(gaps)
    assert ledger.entries("people") == []
    model = fit.set_params(missing="drop").fit(gaps)
    assert "ε = 1" in model.guarantee_ and ledger.balance("people")["epsilon_left"] == 1


def test_what_makes_no_sense(people, table):
    for bounds, df in [
        (None, people), ((0, 100), people), ({"height": (0, 1)}, people), ({"age": (5, 1)}, people), (BOUNDS, table),
        ({"name": (0, 1)}, people.selectExpr("'x' as name")), (BOUNDS, people.selectExpr("age", "age", "hours")),
    ]:
        with pytest.raises(shoal.Error):
            shoal.spark.KMeans(2, bounds=bounds).fit(df)
    with pytest.raises(shoal.NotFittedError):
        shoal.spark.KMeans(2, bounds=BOUNDS).predict(people)
    with pytest.raises(shoal.UsageError):
        shoal.spark.KMeans(2, bounds=BOUNDS).fit_predict(people)
