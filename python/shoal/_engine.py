"""Bring your own engine: questions go out, integers come back, noise is added once, here."""

from . import _settings as to
from ._frames import frame, has_names
from ._model import Model
from ._shoal import Question
from ._shoal import fit_on as _fit_on
from ._shoal import merge as _merge


def answer(question, batches, first_row=0):
    """What some rows contribute to the answer: bytes, as sensitive as the rows. There is no noise in them, so a worker that
    is asked twice answers the same.

    `batches` is a table in any form, or a list of tables. `question` may also be its bytes.
    """
    if isinstance(question, (bytes, bytearray, memoryview)):
        question = Question.from_bytes(bytes(question))
    if isinstance(batches, (list, tuple)) and batches and not isinstance(batches[0], (int, float, list, tuple)):
        return merge(question, [answer(question, batch) for batch in batches])
    names = question.columns if not has_names(batches) else None
    return question.answer(frame(batches, names=names, words=question.categories), first_row)


def merge(question, answers):
    """The sum of partial answers, as bytes. Their order and grouping do not matter."""
    return _merge(question, [bytes(one) for one in answers])


def fit_on(
    ask, n_clusters=5, *, epsilon=1.0, bounds=None, scale=None, weight=None, categories=None, delta=0, method="auto",
    missing="refuse", rows=None, rows_public=False, ledger=None, dataset=None, people=None, keep_cells=False, options=None,
    seed=None,
):
    """Clusters rows that `ask` answers for: any function from a `Question` to the merged bytes of all workers.

    `bounds` is a dict by column; scales, weights and categories are those of `KMeans`, and travel with the question.

    The result is the same as that of `KMeans` on all rows in one place, bit for bit. Methods that move rows (gkm) are
    refused before anything is spent. With a ledger, `ask` is called once before the debit, so that bad rows and lost workers
    cost nothing.

    >>> import numpy as np, shoal
    >>> shards = np.split(np.repeat([[20.0], [60.0]], 2000, axis=0), 4)
    >>> ask = lambda question: shoal.merge(question, [shoal.answer(question, shard) for shard in shards])
    >>> len(shoal.fit_on(ask, 2, epsilon=1, bounds={"x0": (0, 100)}).centers)
    2
    """
    settings = to.settings(
        k=to.clusters(n_clusters),
        epsilon=to.exact(epsilon, "epsilon"),
        delta=to.exact(delta, "delta"),
        bounds=to.bounds(bounds, None),
        scale=to.scale(scale),
        weight=to.weight(weight),
        categories=to.categories(categories),
        method=method,
        missing=missing,
        rows=to.whole(rows, "rows", 1),
        rows_public=bool(rows_public),
        keep_cells=bool(keep_cells),
        options=to.options(options),
        seed=to.whole(seed, "seed"),
        **to.ledger_of(ledger, dataset, people, None),
    )
    return Model(_fit_on(ask, settings))
