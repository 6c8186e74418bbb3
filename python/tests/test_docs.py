"""The examples of the documentation run as they are printed."""

import os
import pathlib
import re
from functools import partial
from multiprocessing.pool import ThreadPool

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal import consortium

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOUNDS = {"age": (17, 90), "hours": (1, 99)}


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)


def table(seed, rows=1500):
    rng = np.random.default_rng(seed)
    kind = rng.integers(4, size=rows)
    return pd.DataFrame({
        "age": np.array([25, 40, 60, 80])[kind] + rng.normal(0, 3, rows),
        "hours": np.array([20, 60, 90, 30])[kind] + rng.normal(0, 3, rows),
        "income": rng.lognormal(10, 1, rows).round(),
        "gender": rng.choice(["F", "M"], rows),
        "region": rng.choice(["north", "south"], rows),
    })


def three_models():
    fit = lambda seed: shoal.KMeans(5, epsilon=1, bounds=BOUNDS, seed=1, method="dplloyd").fit(table(seed))
    return dict(north=fit(1), south=fit(2), east=fit(3))


#: What a reader has before the block that holds these words.
BEFORE = {
    "consortium.merge(": three_models,
    "pool.map(": lambda: dict(pool=ThreadPool(2), partial=partial, shards=np.array_split(table(1)[["age", "hours"]], 3)),
    "people": lambda: dict(people=table(1), Path=pathlib.Path),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table(1).to_csv("people.csv", index=False)
    pathlib.Path("regions.txt").write_text("north\nsouth\n")
    return tmp_path


PAGES = ["README.md", "python/README.md", "docs/python.md", "docs/from-diffprivlib.md"]


@pytest.mark.parametrize("page, place", [(page, place) for page in PAGES for place in range(len(blocks(page)))])
@pytest.mark.filterwarnings("ignore::shoal.PrivacyWarning")
def test_examples_run(page, place, folder):
    code = blocks(page)[place]
    if "import shoal.spark" in code:
        pytest.skip("the tests on Spark have such a fit")
    given = dict(np=np, pd=pd, shoal=shoal, consortium=consortium)
    for words, make in BEFORE.items():
        if words in code:
            given |= make()
    if "[north, south]" in code:
        # The other custodian's codes, made with the same secret.
        at = code.index("found =")
        code = code[:at] + "south = consortium.encode(people[:100], agreed, max_epsilon=400)\n" + code[at:]
        given["people"] = given["people"][:200]
    exec(compile(code, f"{page}, example {place + 1}", "exec"), given)
    if "report.html" in code:
        assert os.path.getsize("report.html") > 10_000
