"""Runs the examples of the docstrings on the installed package."""

import doctest
import importlib
import sys
import warnings

warnings.simplefilter("ignore")
modules = ["shoal"] + [f"shoal.{name}" for name in ("_audit", "_crowd", "_engine", "_kmeans", "_ledger", "_model", "_plan", "consortium", "compat.diffprivlib")]
results = [doctest.testmod(importlib.import_module(name), extraglobs={"shoal": importlib.import_module("shoal")}) for name in modules]
failed, tried = sum(r.failed for r in results), sum(r.attempted for r in results)
print(f"{tried} examples, {failed} failed")
sys.exit(1 if failed or not tried else 0)
