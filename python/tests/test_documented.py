"""Whatever is public is documented, and typed as it is."""

import ast
import inspect
import pathlib
import re

import pytest

import shoal
import shoal.compat.diffprivlib
import shoal.consortium
import shoal.spark

MODULES = [shoal, shoal.consortium, shoal.spark, shoal.compat.diffprivlib]


def public(module):
    """Classes and functions of a module, and methods of its classes."""
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    for name in names:
        thing = getattr(module, name)
        if not (inspect.isclass(thing) or inspect.isroutine(thing)) or not thing.__module__.startswith("shoal"):
            continue
        if module is not shoal and thing.__module__ != module.__name__:
            continue  # imported from elsewhere, and documented there
        yield name, thing
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, (property, classmethod, staticmethod))):
                    yield f"{name}.{member}", value


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_everything_has_a_docstring(module):
    assert module.__doc__
    missing = [name for name, thing in public(module) if not (inspect.getdoc(thing) or "").strip()]
    assert not missing


def stub(module):
    path = pathlib.Path(module.__file__).with_suffix(".pyi")
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_stubs_have_the_same_parameters(module):
    """The parameters of each function in a stub are those of the function, in their order."""
    typed = {}
    for node in stub(module).body:
        if isinstance(node, ast.FunctionDef):
            typed[node.name] = node
        elif isinstance(node, ast.ClassDef):
            typed[node.name] = node
            typed.update({f"{node.name}.{one.name}": one for one in node.body if isinstance(one, ast.FunctionDef)})
    for name, thing in public(module):
        owner = name.split(".")[0]
        assert owner in typed or owner == "Question", f"{module.__name__}.{owner} has no type"
        node = typed.get(name if not inspect.isclass(thing) else f"{name}.__init__")
        if isinstance(thing, property) or node is None or not isinstance(node, ast.FunctionDef):
            continue
        function = thing.__init__ if inspect.isclass(thing) else getattr(thing, "__func__", thing)
        if not inspect.isfunction(function):
            continue
        arguments = node.args
        stubbed = [one.arg for one in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]
        kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        real = [one.name for one in inspect.signature(function).parameters.values() if one.kind not in kinds]
        assert stubbed == real, f"{module.__name__}.{name}"


def test_spark_has_the_parameters_of_the_estimator():
    """The estimator for Spark repeats parameters of `shoal.KMeans`, and so does its stub: with the same defaults, the same types
    (of which `bounds` may take fewer), and in the same order, but for those that need the rows in one place."""
    one_place = {"columns", "person", "per_person", "reading", "sampling", "compute_labels", "match_with", "n_jobs", "progress"}
    here, far = (inspect.signature(kind.__init__).parameters for kind in (shoal.KMeans, shoal.spark.KMeans))
    assert [name for name in here if name not in one_place] == list(far)
    assert {name: far[name].default for name in far} == {name: here[name].default for name in far}
    on = inspect.signature(shoal.fit_on).parameters
    assert [name for name in on if name != "ask"] == [name for name in far if name != "self"]

    def types(module):
        classes = {node.name: node for node in stub(module).body if isinstance(node, ast.ClassDef)}
        init = next(node for node in classes["KMeans"].body if isinstance(node, ast.FunctionDef) and node.name == "__init__")
        return {one.arg: ast.unparse(one.annotation) for one in [*init.args.args, *init.args.kwonlyargs] if one.annotation}

    near, there = types(shoal), types(shoal.spark)
    assert near.pop("bounds") == "Bounds | None" and there.pop("bounds") == "Mapping[str, Pair] | None"
    assert there == {name: near[name] for name in there}


def test_codes_of_exceptions_are_documented():
    root = pathlib.Path(__file__).resolve().parents[2]
    known = set(re.findall(r"`([a-z0-9-]+)`", "".join((root / page).read_text(encoding="utf-8") for page in ("docs/errors.md", "docs/python.md"))))
    raised = set()
    for path in (root / "python/shoal").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "").endswith("Error") and len(node.args) == 2:
                raised |= {node.args[1].value} if isinstance(node.args[1], ast.Constant) else set()
    for path in (root / "crates/shoal-python/src").rglob("*.rs"):
        raised |= set(re.findall(r'exception\(\s*py,\s*"\w+",[^;]*?"([a-z-]+)"\s*,?\s*\)', path.read_text(encoding="utf-8")))
    # NAME-out-of-range is on the page once for all.
    unknown = sorted(code for code in raised - known if not code.endswith("-out-of-range"))
    assert len(raised) > 35 and not unknown


def test_types_travel_with_the_package():
    folder = pathlib.Path(shoal.__file__).parent
    assert (folder / "py.typed").exists() and shoal.__version__.count(".") == 2
