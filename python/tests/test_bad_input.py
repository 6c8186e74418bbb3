"""Bad input ends in an exception that says what to do, and costs nothing."""

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal

GOOD = np.arange(40.0).reshape(20, 2)


@pytest.fixture
def ledger(tmp_path):
    found = shoal.Ledger(tmp_path / "shoal.ledger")
    found.init("people", epsilon=10)
    return found


BAD = {
    "ragged": [[1.0, 2.0], [3.0]],
    "objects": np.array([["a", 1], [None, 2]], dtype=object),
    "strings": np.array([["a", "b"], ["c", "d"]]),
    "nan": np.array([[1.0, np.nan], [2.0, 3.0]]),
    "inf": np.array([[1.0, np.inf], [2.0, 3.0]]),
    "empty": np.empty((0, 2)),
    "no columns": np.empty((3, 0)),
    "complex": GOOD + 1j,
    "generator": (row for row in GOOD),
    "0-d": np.array(3.0),
    "1-d": np.arange(5.0),
    "3-d": np.zeros((2, 2, 2)),
    "dates": np.array([["2024-01-01", "2024-01-02"]], dtype="datetime64[D]"),
    "a number": 3,
    "nothing": None,
    "a set": {1, 2},
    "a dict": {"age": [1, 2]},
    "a missing file": "/nowhere/people.csv",
    "twice the same column": pd.DataFrame(GOOD, columns=["x0", "x0"]),
    "twice in Arrow": pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["x0", "x0"]),
    "a series": pd.Series([1.0, 2.0]),
    "objects of many kinds": np.array([[1.0, {}], [2.0, []]], dtype=object),
    "a number in a list": [3.0],
    "rows of words": [["a", "b"], ["c", "d"]],
    "one word in a row": [[1.0, "b"]],
    "times": np.array([[1, 2]], dtype="timedelta64[s]"),
    "records": np.zeros(3, dtype=[("age", "f8")]),
    "bytes": b"age,hours",
    "an iterator": iter([[1.0, 2.0]]),
    "a range": range(3),
    "a lazy frame": pl.LazyFrame({"x0": [1.0]}),
    "a folder": "/",
    "an empty frame": pd.DataFrame(),
    "an empty table": pa.table({}),
    "only words": pd.DataFrame({"x0": ["a", "b"]}),
    "only dates": pd.DataFrame({"x0": pd.to_datetime(["2024-01-01"])}),
    "no rows in Arrow": pa.table({"x0": pa.array([], pa.float64())}),
    "a null in Arrow": pa.table({"x0": [1.0, None]}),
    "inf in Arrow": pa.table({"x0": [1.0, float("-inf")]}),
    "masked": np.ma.masked_array(GOOD, mask=GOOD > 38),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_tables(name, ledger):
    fit = shoal.KMeans(1, bounds=(0, 100), ledger=ledger, dataset="people")
    with pytest.raises(shoal.Error) as refused:
        fit.fit(BAD[name])
    said(refused)
    assert ledger.entries("people") == [] and not hasattr(fit, "model_")


@pytest.mark.parametrize("name", [name for name in BAD if name not in ("empty", "an empty table")])
def test_bad_tables_at_predict(name):
    model = shoal.KMeans(1, bounds=(0, 100), seed=1, method="dplloyd").fit(GOOD)
    for look in (model.predict, model.transform, model.score):
        with pytest.raises(shoal.Error) as refused:
            look(BAD[name])
        said(refused)


@pytest.mark.parametrize("name", BAD)
def test_bad_tables_elsewhere(name, ledger):
    """Whatever else takes a table refuses the same ones, and spends as little."""
    bounds = {"x0": (0, 100), "x1": (0, 100)}
    if name not in ("empty", "no rows in Arrow"):
        # Of no rows and of one row the same is released: which of both it was is not to be known.
        with pytest.raises(shoal.Error):
            shoal.private_bounds(BAD[name], epsilon=1, ledger=ledger, dataset="people")
    with pytest.raises(shoal.Error):
        shoal.perturb(BAD[name], epsilon=1, bounds=(0, 100))
    if name not in ("empty", "no rows in Arrow"):
        # A worker may have no rows.
        with pytest.raises(shoal.Error):
            shoal.fit_on(lambda q: shoal.answer(q, BAD[name]), 1, bounds=bounds, ledger=ledger, dataset="people")
    assert ledger.entries("people") == []


def said(refused):
    """The message is one, has a code, and speaks of no flags."""
    text = str(refused.value)
    assert text and refused.value.code and not re.search(r"(^|\s)--?[a-z]", text), text


PARAMETERS = {
    "n_clusters": [0, -1, 2.5, "many", True, 10**6, None],
    "epsilon": [0, -1, "x", float("nan"), float("inf"), 1e9, None, True, 1e-9],
    "delta": [-0.1, 2, "x", None],
    "bounds": [None, (5, 1), (1, 1), (0, float("nan")), {"age": (0, 1)}, {"x0": 3}, [(0, 1)] * 3, "auto", "auto:200%", 7.5, "nowhere.json"],
    "method": ["magic"],
    "columns": [["age"]],
    "person": ["who"],
    "per_person": ["mean", "sometimes"],
    "reading": [{"delimiter": ";"}, {"magic": 1}, 3],
    "rows": [0, -3, 2.5],
    "seed": [-1, 1.5],
    "n_jobs": [0, "x"],
    "dataset": ["nobody"],
    "options": [{"iterations": "x"}, {"magic": 1}],
    "ledger": ["/nowhere/shoal.ledger"],
}


@pytest.mark.parametrize("name, value", [(name, value) for name, values in PARAMETERS.items() for value in values])
def test_bad_parameters(name, value, ledger):
    given = dict(n_clusters=1, bounds=(0, 100), ledger=ledger, dataset="people")
    if name == "seed":
        given.pop("ledger")
    with pytest.raises((shoal.Error, ValueError, TypeError)) as refused:
        shoal.KMeans(**{**given, name: value}).fit(GOOD)
    if isinstance(refused.value, shoal.Error):
        said(refused)
    assert ledger.entries("people") == []


def test_missing_is_one_of_three():
    with pytest.raises(ValueError, match="refuse"):
        shoal.KMeans(1, bounds=(0, 100), missing="guess").fit(GOOD)


def test_one_row():
    assert shoal.KMeans(1, bounds=(0, 100)).fit(GOOD[:1]).cluster_centers_.shape == (1, 2)


def test_other_features_at_predict():
    model = shoal.KMeans(1, bounds=(0, 100), seed=1).fit(GOOD)
    with pytest.raises(ValueError, match="X has 3 features, but KMeans is expecting 2 features"):
        model.predict(np.zeros((4, 3)))
    with pytest.raises(shoal.DataError, match="x1"):
        model.predict(pd.DataFrame({"x0": [1.0]}))
    with pytest.raises(shoal.NotFittedError):
        shoal.KMeans().predict(GOOD)


def test_columns_are_matched_by_name():
    df = pd.DataFrame(GOOD, columns=["age", "hours"])
    bounds = {"age": (0, 100), "hours": (0, 50)}
    given = dict(n_clusters=2, epsilon=5, bounds=bounds, seed=1, method="dplloyd")
    model, turned = shoal.KMeans(**given).fit(df), shoal.KMeans(**given).fit(df[["hours", "age"]])
    assert (model.cluster_centers_ == turned.cluster_centers_).all()
    for other in (df[["hours", "age"]], df.assign(more=1.0), pl.from_pandas(df[["hours", "age"]]), pa.table(df[["hours", "age"]])):
        assert (model.predict(other) == model.predict(df)).all()
    with pytest.raises(shoal.DataError, match="hours"):
        model.predict(df.rename(columns={"hours": "minutes"}))
    with pytest.raises(shoal.DataError, match="twice"):
        model.predict(pd.concat([df, df[["age"]]], axis=1))
    # Without names the order counts, and a list of pairs is in the order of the table.
    assert (model.predict(GOOD) == model.predict(df)).all()
    pairs = shoal.KMeans(**{**given, "bounds": [(0, 100), (0, 50)]}).fit(df)
    assert (pairs.cluster_centers_ == model.cluster_centers_).all()


def test_words_among_numbers(tmp_path):
    """One pair of bounds is for all columns, so a column of words has to be left out by whoever asks, as for files."""
    df = pd.DataFrame(GOOD, columns=["age", "hours"]).assign(name="x")
    df.to_csv(tmp_path / "people.csv", index=False)
    for table in (df, pl.from_pandas(df), pa.table(df), tmp_path / "people.csv"):
        with pytest.raises(shoal.DataError, match="name"):
            shoal.KMeans(1, bounds=(0, 100)).fit(table)
        found = shoal.KMeans(1, bounds=(0, 100), columns=["age", "hours"], seed=1).fit(table)
        assert found.n_features_in_ == 2


def test_masked_values_are_missing():
    masked = np.ma.masked_array(GOOD, mask=GOOD > 38)
    with pytest.raises(shoal.DataError, match="row 20"):
        shoal.KMeans(1, bounds=(0, 100)).fit(masked)
    model = shoal.KMeans(1, bounds=(0, 100), missing="drop", seed=1, method="dplloyd").fit(masked)
    assert (model.cluster_centers_ == shoal.KMeans(1, bounds=(0, 100), seed=1, method="dplloyd").fit(GOOD[:-1]).cluster_centers_).all()
    assert model.predict(masked).tolist() == [0] * 19 + [-1]


def test_weights_are_refused():
    with pytest.raises(TypeError, match="sample_weight"):
        shoal.KMeans(1, bounds=(0, 100)).fit(GOOD, sample_weight=np.ones(20))


def _fit_in_child(queue):
    queue.put(shoal.KMeans(1, bounds=(0, 100), seed=1, method="dplloyd").fit(GOOD).cluster_centers_.tolist())


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_other_processes(start):
    here = shoal.KMeans(1, bounds=(0, 100), seed=1, method="dplloyd").fit(GOOD).cluster_centers_.tolist()
    context = multiprocessing.get_context(start)
    queue = context.Queue()
    child = context.Process(target=_fit_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=300) == here
    child.join(timeout=300)
    assert child.exitcode == 0


def test_a_pool_of_processes():
    """Estimators, fitted or not, travel."""
    context = multiprocessing.get_context("spawn")
    estimator = shoal.KMeans(1, bounds=(0, 100), seed=1, method="dplloyd")
    with context.Pool(2) as pool:
        fitted = pool.starmap(shoal.KMeans.fit, [(estimator, GOOD), (estimator, GOOD[::-1])])
    here = estimator.fit(GOOD)
    assert all((one.cluster_centers_ == here.cluster_centers_).all() for one in fitted)
    assert (fitted[0].predict(GOOD) == here.predict(GOOD)).all() and fitted[0].guarantee_ == here.guarantee_


def test_a_fork_while_another_thread_fits():
    X = np.random.default_rng(1).uniform(0, 100, (300_000, 4))
    done = []
    thread = threading.Thread(target=lambda: done.append(shoal.KMeans(4, bounds=(0, 100)).fit(X)))
    thread.start()
    queue = multiprocessing.get_context("fork").Queue()
    child = multiprocessing.get_context("fork").Process(target=_fit_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=300)
    child.join(timeout=300)
    thread.join(timeout=300)
    assert child.exitcode == 0 and done[0].cluster_centers_.shape == (4, 4)


def test_one_estimator_in_many_threads():
    X = np.random.default_rng(1).uniform(0, 100, (2_000, 2))
    model = shoal.KMeans(2, bounds=(0, 100), seed=3, method="dplloyd")
    alone = shoal.KMeans(2, bounds=(0, 100), seed=3, method="dplloyd").fit(X)
    found = []

    def work():
        found.append(model.fit(X).predict(X))

    threads = [threading.Thread(target=work) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(found) == 8 and all((labels == alone.predict(X)).all() for labels in found)


def test_threads_at_once(tmp_path):
    ledger = shoal.Ledger(tmp_path / "shoal.ledger")
    ledger.init("people", epsilon=3)
    X = np.random.default_rng(1).uniform(0, 100, (20_000, 3))
    outcomes = []

    def work():
        try:
            shoal.KMeans(2, bounds=(0, 100), ledger=ledger, dataset="people", method="dplloyd").fit(X)
            outcomes.append("fitted")
        except shoal.BudgetError:
            outcomes.append("refused")

    threads = [threading.Thread(target=work) for _ in range(5)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(outcomes) == ["fitted"] * 3 + ["refused"] * 2
    assert ledger.balance("people")["epsilon_left"] == 0


def run(code, *args, **kwargs):
    # In another folder: the sources of the package are in this one.
    kwargs.setdefault("cwd", tempfile.gettempdir())
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs
    )


def test_the_interpreter_ends_in_the_middle():
    child = run("""
        import threading, time, numpy as np, shoal
        X = np.random.default_rng(1).uniform(0, 100, (3_000_000, 8))
        threading.Thread(target=shoal.KMeans(8, bounds=(0, 100)).fit, args=(X,), daemon=True).start()
        time.sleep(0.2)
    """)
    _, errors = child.communicate(timeout=300)
    assert child.returncode == 0, errors


def test_the_interpreter_ends_while_an_engine_is_asked():
    child = run("""
        import threading, time, shoal
        def ask(question):
            time.sleep(0.3)
            return shoal.answer(question, [[1.0], [2.0]])
        fit = lambda: shoal.fit_on(ask, 1, bounds={"x0": (0, 100)}, method="dplloyd")
        threading.Thread(target=fit, daemon=True).start()
        time.sleep(0.1)
    """)
    _, errors = child.communicate(timeout=300)
    assert child.returncode == 0, errors


def test_a_killed_process_leaves_the_debit(tmp_path):
    """Whoever kills a fit after the debit has spent: the ledger keeps an unfinished entry, and stays usable."""
    ledger = shoal.Ledger(tmp_path / "shoal.ledger")
    ledger.init("people", epsilon=2)
    child = run("""
        import os, sys, shoal
        asked = []
        def ask(question):
            asked.append(question)
            if len(asked) == 2:
                os._exit(3)
            return shoal.answer(question, [[1.0], [2.0]])
        shoal.fit_on(ask, 1, epsilon=1, bounds={"x0": (0, 100)}, ledger=sys.argv[1], dataset="people")
    """, str(ledger.path))
    _, errors = child.communicate(timeout=300)
    assert child.returncode == 3, errors
    assert [entry["finished"] for entry in ledger.entries("people")] == [False]
    shoal.KMeans(1, epsilon=1, bounds=(0, 100), ledger=ledger, dataset="people").fit(GOOD)
    assert ledger.balance("people")["epsilon_left"] == 0


def processor_seconds(pid):
    """Of all threads of a process, from the kernel: other work on the machine does not change it."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="processor seconds are read from /proc")
def test_ctrl_c():
    child = run("""
        import signal, numpy as np, shoal
        # Where a shell started the tests in the background, children have the signal ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        X = np.random.default_rng(1).integers(0, 100, (6_000_000, 8), dtype=np.int8)
        # The first call of the bar is from inside a fit.
        begun = []
        def bar(*_):
            if not begun:
                print("ready", flush=True)
            begun.append(1)
        try:
            while True:
                shoal.KMeans(8, bounds=(0, 100), progress=bar).fit(X)
        except KeyboardInterrupt as stop:
            print(type(stop).__name__, stop, flush=True)
    """)
    assert child.stdout.readline() == "ready\n"
    before = processor_seconds(child.pid)
    child.send_signal(signal.SIGINT)
    line = child.stdout.readline()
    used = processor_seconds(child.pid) - before
    child.communicate(timeout=300)
    assert line.startswith("Interrupted interrupted: nothing was released and nothing was debited"), line
    # Within a second, for which every core may go on.
    assert used < os.cpu_count() and child.returncode == 0


def test_other_threads_run_during_a_fit():
    """The lock of the interpreter is free: a job that held it would let no other thread begin before it ends."""
    X = np.random.default_rng(1).uniform(0, 100, (500_000, 8))
    order = []
    begun = threading.Event()

    def bar(*_):
        # From inside a fit, between two looks at its state.
        if not begun.is_set():
            order.append("fit")
            begun.set()

    def fit():
        shoal.KMeans(8, bounds=(0, 100), progress=bar).fit(X)
        order.append("fitted")

    thread = threading.Thread(target=fit)
    thread.start()
    assert begun.wait(timeout=300)
    order.append("other work")
    thread.join(timeout=300)
    assert order == ["fit", "other work", "fitted"]


def jobs():
    """Threads of fits that still run. They are called shoal, and so are the threads that they start."""
    return [task for task in os.listdir("/proc/self/task") if _name(task) == "shoal"]


def _name(task):
    try:
        with open(f"/proc/self/task/{task}/comm") as name:
            return name.read().strip()
    except (FileNotFoundError, ProcessLookupError):
        # It ended before the file was opened, or before it was read.
        return None


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="threads are counted in /proc")
def test_an_interrupted_fit_that_was_paid_says_so(tmp_path):
    """The interruption comes after the debit: the message names it, and the entry stays unfinished."""
    ledger = shoal.Ledger(tmp_path / "shoal.ledger")
    ledger.init("people", epsilon=1)

    # The first question only checks that every row can be read. `ask` runs again after the debit, and may be interrupted
    # there like any other function: it goes on when the interruption has been raised, however long that takes.
    asked, raised = [], threading.Event()
    # A shell that starts this in the background has the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def ask(question):
        asked.append(question)
        if len(asked) == 2:
            os.kill(os.getpid(), signal.SIGINT)
            assert raised.wait(timeout=300)
        return shoal.answer(question, GOOD)

    try:
        with pytest.raises(KeyboardInterrupt, match="ε = 1 was debited from “people”") as stop:
            shoal.fit_on(ask, 1, epsilon=1, bounds={"x0": (0, 100), "x1": (0, 100)}, ledger=ledger, dataset="people")
    finally:
        raised.set()
        signal.signal(signal.SIGINT, before)
    assert isinstance(stop.value, shoal.Interrupted)
    assert [entry["finished"] for entry in ledger.entries("people")] == [False]
    deadline = time.monotonic() + 300
    while jobs() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not jobs() and len(asked) == 2, "nothing is asked after an interruption"
