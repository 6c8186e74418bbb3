"""Runs the notebooks: `python run.py` checks that they run, `python run.py --write` keeps their new outputs."""

import pathlib
import sys
import tempfile
import time

import nbformat
from nbclient import NotebookClient

HERE = pathlib.Path(__file__).resolve().parent
#: Of a committed notebook, with its outputs.
MOST_BYTES = 200_000


def run(path):
    """The notebook with the outputs of a run in an empty folder."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        # Times would change the notebook with each run.
        given = dict(timeout=900, record_timing=False, extra_arguments=["--log-level=ERROR"])
        NotebookClient(notebook, resources={"metadata": {"path": folder}}, **given).execute()
    notebook.metadata.pop("language_info", None)
    return notebook


def main(write):
    for path in sorted(HERE.glob("*.ipynb")):
        begun = time.monotonic()
        notebook = run(path)
        if write:
            nbformat.write(notebook, path)
        size = len(nbformat.writes(notebook))
        print(f"{path.name}: {time.monotonic() - begun:.0f} s, {size / 1000:.0f} kB with outputs")
        if size > MOST_BYTES:
            sys.exit(f"{path.name} is too large for the repository; show less in it")


if __name__ == "__main__":
    main("--write" in sys.argv[1:])
