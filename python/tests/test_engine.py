import pickle

import numpy as np
import pandas as pd
import pytest

import shoal

BOUNDS = {"x0": (0, 100), "x1": (0, 100)}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    return np.concatenate([rng.normal((30, 20), 3, (2000, 2)), rng.normal((70, 80), 3, (2001, 2))])


@pytest.mark.parametrize("method", ["auto", "dplloyd", "eugkm", "hybrid", "knorm-lloyd", "tree"])
@pytest.mark.parametrize("shards", [1, 3])
def test_workers_find_the_same_bit_for_bit(rows, method, shards):
    local = shoal.KMeans(2, epsilon=1, bounds=BOUNDS, seed=9, method=method).fit(rows).model_.to_dict()
    parts = np.array_split(rows, shards)

    def ask(question):
        # Over the wire and back, in any order, some twice.
        sent = pickle.loads(pickle.dumps(question)).to_bytes()
        answers = [shoal.answer(sent, part) for part in parts]
        assert answers == [shoal.answer(sent, part) for part in parts]
        return shoal.merge(question, answers[::-1])

    far = shoal.fit_on(ask, 2, epsilon=1, bounds=BOUNDS, seed=9, method=method).to_dict()
    assert far["centers"] == local["centers"] and far["sizes"] == local["sizes"]
    assert {**far, "shoal": 0} == {**local, "shoal": 0}


def test_tables_of_all_kinds_answer_alike(rows):
    seen = []

    def ask(question):
        frame = pd.DataFrame(rows, columns=["x0", "x1"])
        answers = {shoal.answer(question, rows), shoal.answer(question, frame[["x1", "x0"]]),
                   shoal.answer(question, [frame[:100], frame[100:]])}
        seen.append(len(answers))
        return answers.pop()

    shoal.fit_on(ask, 2, epsilon=1, bounds=BOUNDS, seed=9, method="dplloyd")
    assert set(seen) == {1}


def test_methods_that_move_rows_are_refused(rows, tmp_path):
    ledger = shoal.Ledger(tmp_path / "shoal.ledger")
    ledger.init("people", epsilon=5)
    for given in ({}, dict(ledger=ledger, dataset="people")):
        with pytest.raises(shoal.Error) as refused:
            shoal.fit_on(lambda q: shoal.answer(q, rows), 2, epsilon=1, bounds=BOUNDS, method="gkm", rows=4001, **given)
        assert "block" in str(refused.value)
    assert ledger.entries("people") == []


def test_a_lost_worker_costs_nothing(rows, tmp_path):
    ledger = shoal.Ledger(tmp_path / "shoal.ledger")
    ledger.init("people", epsilon=5)
    given = dict(epsilon=1, bounds=BOUNDS, ledger=ledger, dataset="people")
    for ask in [lambda question: 1 / 0, lambda question: b"", lambda question: shoal.answer(question, rows * np.nan)]:
        with pytest.raises(shoal.Error):
            shoal.fit_on(ask, 2, **given)
    with pytest.raises(shoal.UsageError):
        shoal.fit_on(lambda question: shoal.answer(question, rows), 2, **{**given, "bounds": (0, 100)})
    assert ledger.entries("people") == []
    assert len(shoal.fit_on(lambda question: shoal.answer(question, rows), 2, **given).centers) == 2


def test_faults_of_an_engine(rows):
    fit = lambda ask: shoal.fit_on(ask, 2, epsilon=1, bounds=BOUNDS, method="dplloyd")
    with pytest.raises(shoal.Error) as lost:
        fit(lambda question: 1 / 0)
    assert isinstance(lost.value.__cause__, ZeroDivisionError)
    for broken in [b"", b"nonsense", None, "text"]:
        with pytest.raises(shoal.Error):
            fit(lambda question: broken)
    with pytest.raises(shoal.Error):
        fit(lambda question: shoal.answer(question, rows)[:-1])
    with pytest.raises(shoal.Error):
        shoal.Question.from_bytes(b"\x01")
