import json
import pickle
from fractions import Fraction

import numpy as np
import pytest

import shoal


def fitted(X, **params):
    return shoal.KMeans(**{**dict(n_clusters=2, epsilon=1.0, bounds=(0, 100), seed=1), **params}).fit(X)


def test_centres_are_near_the_groups(people):
    model = fitted(people)
    assert np.abs(np.sort(model.cluster_centers_[:, 0]) - [30, 70]).max() < 5
    assert model.n_features_in_ == 2 and not hasattr(model, "feature_names_in_") and not hasattr(model, "labels_")
    assert model.intervals_.shape == (2, 2, 2) and (model.intervals_[..., 0] <= model.cluster_centers_).all()
    assert model.sizes_.shape == (2,) and model.stability_.shape == (2,)


def test_without_a_seed_there_is_a_guarantee(people):
    model = shoal.KMeans(2, epsilon="1/2", bounds=(0, 100)).fit(people)
    assert "ε = 0.5" in model.guarantee_ or "ε = 1/2" in model.guarantee_
    assert model.model_.spent["epsilon"] == 0.5


def test_a_seed_voids_the_guarantee(people, quick):
    with pytest.warns(shoal.NotPrivateWarning, match="NO PRIVACY"):
        model = shoal.KMeans(**quick).fit(people)
    assert "NO PRIVACY" in model.guarantee_ and model.model_.spent is None


@pytest.mark.parametrize("bounds", [
    (0, 100), [0, 100], [(0, 100), (0, 100)], np.array([[0, 100], [0, 100]]), {"x0": (0, 100), "x1": (0, 100)}, "0,100",
    "x0=0:100,x1=0:100",
])
def test_all_forms_of_bounds_are_the_same(people, quick, bounds):
    same = shoal.KMeans(**quick).fit(people).cluster_centers_
    assert (shoal.KMeans(**{**quick, "bounds": bounds}).fit(people).cluster_centers_ == same).all()


def test_a_file_of_bounds(people, quick, tmp_path):
    path = tmp_path / "bounds.json"
    path.write_text(json.dumps({"x0": [0, 100], "x1": [0, 100]}))
    assert fitted(people, bounds=path).n_features_in_ == 2


def test_bounds_can_be_bought(people):
    model = fitted(people, bounds="auto:10%", epsilon=2)
    low, high = model.model_.bounds["x0"]
    assert low < 35 and high > 65


def test_a_dict_of_bounds_chooses_columns(people):
    wide = np.column_stack([people, np.full(len(people), 5.0)])
    model = fitted(wide, bounds={"x0": (0, 100), "x1": (0, 100)})
    assert model.model_.columns == ["x0", "x1"]
    assert (model.predict(wide) == model.predict(people)).all()


def test_the_number_of_clusters_can_be_chosen(people):
    assert fitted(people, n_clusters="auto").n_clusters_ == 2


def test_labels_distances_and_score(people):
    model = fitted(people, compute_labels=True)
    labels, distances = model.predict(people), model.transform(people)
    assert (labels == model.labels_).all() and set(labels) == {0, 1}
    assert distances.shape == (3000, 2) and (distances.argmin(axis=1) == labels).all()
    assert model.score(people) == pytest.approx(-(distances.min(axis=1) ** 2).sum(), rel=1e-9)
    assert shoal.score(model, people)["private"] is False


def test_known_groups(people):
    pd = pytest.importorskip("pandas")

    df = pd.DataFrame(people, columns=["x0", "x1"]).assign(group=["a"] * 1500 + ["b"] * 1500, number=[1] * 1500 + [2] * 1500)
    model = fitted(people)
    for labels in ("group", "number"):
        found = shoal.score(model, df, labels=labels)
        assert found["ari"] > 0.9 and found["nmi"] > 0.9
    with pytest.raises(shoal.Error):
        shoal.score(model, df, labels="nothing")


def test_rows_that_are_left_out_have_no_label(people):
    gaps = people.copy()
    gaps[0, 0] = gaps[-1, 1] = np.nan
    labels = fitted(gaps, missing="drop").predict(gaps)
    assert len(labels) == 3000 and labels[0] == labels[-1] == -1 and (labels[1:-1] >= 0).all()


def test_persons(people):
    pd = pytest.importorskip("pandas")

    df = pd.DataFrame(people, columns=["age", "hours"]).assign(name=[f"p{i % 300}" for i in range(3000)])
    model = shoal.KMeans(2, epsilon=1, bounds={"age": (0, 100), "hours": (0, 100)}, person="name").fit(df)
    assert "one person, with all their rows" in model.guarantee_
    numbers = df.assign(name=np.arange(3000) % 300)
    by_number = fitted(numbers, bounds={"age": (0, 100), "hours": (0, 100)}, person="name").model_
    by_text = fitted(df, bounds={"age": (0, 100), "hours": (0, 100)}, person="name").model_
    assert by_number.columns == ["age", "hours"] and sum(by_number.sizes) < 600 and sum(by_text.sizes) < 600


def test_parameters_are_kept_and_changed(quick):
    model = shoal.KMeans(**quick)
    assert {**model.get_params(), **quick} == model.get_params()
    assert model.set_params(epsilon=2).epsilon == 2
    with pytest.raises(shoal.UsageError, match="no parameter"):
        model.set_params(colour="red")
    assert "epsilon=2" in repr(model)


def test_models_are_saved_and_read(people, tmp_path):
    model = fitted(people).model_
    model.save(tmp_path / "model.json")
    again = shoal.Model.load(tmp_path / "model.json")
    assert (again.centers == model.centers).all() and again.guarantee == model.guarantee
    assert pickle.loads(pickle.dumps(model)).to_dict() == model.to_dict()


def test_options_of_methods(people):
    assert fitted(people, method="dplloyd", options={"iterations": 3}).n_clusters_ == 2
    with pytest.raises(shoal.UsageError, match="theta is no option of dplloyd"):
        fitted(people, method="dplloyd", options={"theta": 3})
    with pytest.raises(shoal.UsageError):
        fitted(people, options={"colour": 3})


def test_threads_and_order_of_memory_change_nothing(people, quick):
    same = shoal.KMeans(**quick).fit(people).cluster_centers_
    assert (shoal.KMeans(**quick, n_jobs=1).fit(np.asfortranarray(people)).cluster_centers_ == same).all()


def test_progress(people):
    calls = []
    rows = np.tile(people, (200, 1))
    fitted(rows, progress=lambda *call: calls.append(call))
    assert all(isinstance(phase, str) and done <= max(total, done) for phase, done, total in calls)
    # A bar, where tqdm is installed; nothing otherwise.
    assert fitted(people, progress=True).n_clusters_ == 2

    def stop(*_):
        raise RuntimeError("enough")

    if calls:
        with pytest.raises(RuntimeError, match="enough"):
            fitted(rows, progress=stop)


def test_ledger(people, tmp_path):
    ledger = shoal.Ledger(tmp_path / "shoal.ledger")
    ledger.init("people", epsilon="3/2")
    fit = shoal.KMeans(2, epsilon=1, bounds=(0, 100), ledger=ledger, dataset="people")
    model = fit.fit(people)
    assert ledger.balance("people")["epsilon_left"] == Fraction(1, 2)
    assert model.model_.left[0] == "people"
    assert [entry["finished"] for entry in ledger.entries("people")] == [True]
    with pytest.raises(shoal.BudgetError) as refused:
        fit.fit(people)
    assert refused.value.code and len(ledger.entries("people")) == 1
    with pytest.raises(shoal.UsageError, match="seed"):
        shoal.KMeans(2, bounds=(0, 100), ledger=ledger, dataset="people", seed=1).fit(people)
    with pytest.raises(shoal.UsageError, match="dataset"):
        shoal.KMeans(2, bounds=(0, 100), ledger=ledger).fit(people)


def test_cells_can_be_clustered_again(people, tmp_path):
    model = shoal.KMeans(2, epsilon=1, bounds=(0, 100), keep_cells=True, method="eugkm").fit(people)
    cells = model.model_.synopsis
    cells.save(tmp_path / "cells.parquet")
    for synopsis in (cells, shoal.Synopsis.load(tmp_path / "cells.parquet")):
        again = synopsis.cluster(3)
        assert len(again.centers) == 3 and again.spent["epsilon"] == 0
    assert fitted(people, method="dplloyd").model_.synopsis is None


def test_models_are_compared(people):
    first, second = fitted(people), fitted(people + [0, 10], match_with=None)
    found = shoal.compare(first, second)
    assert found["has_changes"] and len(found["pairs"]) == 2


def test_a_model_shows_itself(people, tmp_path):
    model = shoal.KMeans(2, epsilon=1, bounds=(0, 100)).fit(people)
    shown = model._repr_html_()
    assert shown.startswith("<iframe") and "&lt;svg" in shown and "</script" not in shown
    path = model.report(tmp_path / "report.html")
    page = open(path, encoding="utf-8").read()
    assert "<svg" in page and "x0" in page and "--" not in model.model_.guarantee
    assert "cluster 1" in str(model.model_)
    assert shoal.KMeans()._repr_html_().startswith("<pre>")


def test_plots(people):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    model = fitted(np.column_stack([people, people[:, 0]]))
    for names in (None, ["x2"], ["x1", "x0"]):
        figure, given = pyplot.subplots()
        ax = model.plot(given, columns=names)
        drawn = names or ["x0", "x1"]
        assert ax is given and ax.get_xlabel() == drawn[0] and ax.get_xlim() == (0, 100)
        assert ax.get_ylabel() == (drawn[1] if len(drawn) == 2 else "")
        points = ax.collections[0].get_offsets()
        place = model.model_.columns.index(drawn[0])
        assert np.allclose(points[:, 0], model.cluster_centers_[:, place])
        assert [text.get_text() for text in ax.texts] == ["1", "2"]
        figure.canvas.draw()
        pyplot.close(figure)
    for wrong in (["age"], [], ["x0", "x1", "x2"]):
        with pytest.raises(shoal.UsageError, match="x0, x1, x2"):
            model.plot(columns=wrong)
    pyplot.close("all")


def test_errors_can_be_pickled():
    error = pickle.loads(pickle.dumps(shoal.UsageError("no", "code")))
    assert (str(error), error.code) == ("no", "code")


def test_plan_and_private_bounds(people):
    planned = shoal.plan(rows=30_000, n_clusters=4, epsilon=1, bounds={"age": (0, 110), "visits": (0, 50)})
    assert planned["k"] == 4 and planned["columns"][0]["plus_minus"] > 0 and "ε = 1" in str(planned)
    needed = shoal.plan(rows=30_000, n_clusters=4, bounds={"age": (0, 110), "visits": (0, 50)}, target="age=1")
    assert needed["epsilon"]
    with pytest.raises(shoal.UsageError):
        shoal.plan(rows=0, dims=2, n_clusters=3, epsilon=1)
    with pytest.raises(shoal.UsageError, match="rename"):
        shoal.plan(rows=100, n_clusters=2, epsilon=1, bounds={"a=1,b": (0, 1)})
    found = shoal.private_bounds(people, epsilon=1)
    assert found.bounds["x0"][0] < 40 and found.bounds["x0"][1] > 60 and "ε = 1" in found.guarantee


def test_devices():
    design = shoal.Design(epsilon=8, bounds={"x": (0, 10)}, mechanism="laplace")
    with pytest.raises(shoal.Error):
        shoal.Device(design, any_two_records=1)
    device = shoal.Device(design, any_two_records=8)
    reports = [device.report([1.0 if i % 2 else 9.0]) for i in range(2000)]
    assert len(device.values(reports[0])) == 1 and "x" in design.columns and "ε = 8" in design.guarantee
    model = shoal.cluster_reports(reports, 2, design)
    assert np.abs(np.sort(model.centers[:, 0]) - [1, 9]).max() < 1.5
    with pytest.raises(shoal.UsageError):
        shoal.cluster_reports(reports, 2)
    with pytest.raises(shoal.UsageError, match="published"):
        shoal.cluster_reports(reports, 2, design, smallest_batch=100)
    for wrong in (-1, 2, "x", True):
        with pytest.raises(shoal.UsageError):
            shoal.cluster_reports(reports, 2, design, published=wrong)


def test_a_published_model_says_what_the_public_learns():
    device = shoal.Device(shoal.Design(epsilon=1, bounds={"x": (0, 10)}, mechanism="bpm"))
    reports = [device.report([1.0 if i % 2 else 9.0]) for i in range(3000)]
    to_the_public = lambda model: [claim for claim in model.also if "only-results-published" in claim["assumes"]]
    assert to_the_public(shoal.cluster_reports(reports, 2, device.design, published=1e-6))
    assert not to_the_public(shoal.cluster_reports(reports, 2, device.design))


def test_devices_refuse_what_is_no_number():
    design = shoal.Design(epsilon=8, bounds={"x": (0, 10)}, mechanism="laplace")
    device = shoal.Device(design, any_two_records=8)
    with pytest.raises(shoal.DataError):
        device.report([float("nan")])


def test_designs_with_words_are_refused():
    published = json.loads(shoal.Design(epsilon=8, bounds={"x": (0, 10)}, mechanism="laplace").to_json())
    del published["digest"]
    assert shoal.Design.from_json(json.dumps(published)).columns == ["x"]
    published["categories"] = [{"column": "gender", "levels": ["F", "M"], "counts_gaps": False, "weight": 0.5}]
    with pytest.raises(shoal.Error, match="gender"):
        shoal.Design.from_json(json.dumps(published))


def test_a_crowd_is_simulated(people):
    made, guarantee = shoal.perturb(people[:, :1], epsilon=20, bounds=(0, 100))
    assert "ε = 20" in guarantee
    assert len(shoal.cluster_reports(made, 2).centers) == 2


def test_audit():
    rng = np.random.default_rng(3)
    # Whole numbers with geometric noise on both sides: exactly ε. Laplace noise in doubles gives itself away by its last bits.
    noise = lambda epsilon: int(rng.geometric(1 - np.exp(-epsilon)) - rng.geometric(1 - np.exp(-epsilon)))
    good = shoal.audit(lambda rows: len(rows) + noise(1), ([], [1]), epsilon=1, runs=4000)
    bad = shoal.audit(lambda rows: len(rows) + noise(3), ([], [1]), epsilon=1, runs=4000)
    assert not good.broken and good.epsilon_at_least <= 1
    assert bad.broken and 1 < bad.epsilon_at_least <= 3 and "refuted" in str(bad)
    with pytest.raises(shoal.UsageError):
        shoal.audit(3, ([], [1]))
