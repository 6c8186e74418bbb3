"""Private clustering of Spark DataFrames: the rows stay on the executors.

Each query of a method becomes one `mapInArrow` job. Executors answer with integers, without noise; the driver adds them up and
adds the noise once. A seeded model is that of `shoal.KMeans` on the same rows in one place, bit for bit.

    import shoal.spark

    model = shoal.spark.KMeans(5, epsilon=1.0, bounds={"age": (17, 90), "hours": (1, 99)}).fit(people)

The package has to be installed where the executors run. A method asks several times: `people.cache()` saves reading the
source each time, and has to be used where the DataFrame would have other rows when it is computed again (`sample`, `rand`).
"""

from . import _settings as to
from ._engine import answer, fit_on, merge
from ._errors import DataError, DataTypeError, UsageError
from ._kmeans import KMeans as _KMeans
from ._shoal import Question

#: Rows of a partition that are answered for at once. An answer can be much larger than a batch of Arrow.
_ROWS_AT_ONCE = 1 << 18

#: Types of Spark that are numbers.
_NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal", "boolean")

#: Types of Spark whose values are words of a category.
_WORDS = ("string", "char", "varchar", "byte", "short", "integer", "long", "float", "double", "boolean")


class KMeans(_KMeans):
    """`shoal.KMeans` for Spark: `fit` takes a DataFrame of Spark, `predict` adds a column to one.

    `bounds` is a dict: it also names the columns of numbers. All other parameters are those of `shoal.KMeans`, but for those that need
    the rows in one place (`person`, `per_person`, `match_with`, `compute_labels`).
    """

    def __init__(
        self, n_clusters=5, *, epsilon=1.0, bounds=None, scale=None, weight=None, categories=None, delta=0, method="auto",
        missing="refuse", rows=None, rows_public=False, ledger=None, dataset=None, people=None, keep_cells=False, options=None,
        seed=None,
    ):
        super().__init__(
            n_clusters, epsilon=epsilon, bounds=bounds, scale=scale, weight=weight, categories=categories, delta=delta,
            method=method, missing=missing, rows=rows, rows_public=rows_public, ledger=ledger, dataset=dataset, people=people,
            keep_cells=keep_cells, options=options, seed=seed,
        )

    def fit(self, df, y=None):
        """Clusters the rows of a DataFrame of Spark. With a ledger, every row is read once before the debit."""
        columns = self._checked(df)
        chosen = df.select(*(_quoted(name) for name in columns))

        def ask(question):
            answers = chosen.mapInArrow(_answers(question.to_bytes()), "answer binary").collect()
            return merge(question, [row["answer"] for row in answers])

        self.model_ = fit_on(
            ask, self.n_clusters, epsilon=self.epsilon, bounds=self.bounds, scale=self.scale, weight=self.weight,
            categories=self.categories, delta=self.delta, method=self.method, missing=self.missing, rows=self.rows,
            rows_public=self.rows_public, ledger=self.ledger, dataset=self.dataset, people=self.people,
            keep_cells=self.keep_cells, options=self.options, seed=self.seed,
        )
        self._take(self.model_, True)
        return self

    def predict(self, df, column="cluster"):
        """The DataFrame with one more column: the nearest centre of each row, from zero. Labels are as sensitive as the rows."""
        if not hasattr(self, "model_"):
            return super().predict(df)
        _spark(df)
        if column in df.columns:
            raise UsageError(f"there is a column {column} already; give another name with column", "column-exists")
        from pyspark.sql.types import IntegerType, StructField, StructType

        schema = StructType([*df.schema.fields, StructField(column, IntegerType(), False)])
        return df.mapInArrow(_labels(self.model_, self.missing, column), schema)

    def _one_place(self, *_, **__):
        """Refused: this needs the rows in one place."""
        raise UsageError("this needs the rows in one place; use predict, or shoal.KMeans on df.toArrow()", "spark-rows")

    fit_predict = fit_transform = transform = score = _one_place

    def _checked(self, df):
        """The columns to use, if they are there and hold numbers."""
        _spark(df)
        words = to.words(self.categories)
        if not hasattr(self.bounds, "items") and not (self.bounds is None and words):
            raise UsageError("bounds: give a pair for each column of the DataFrame, such as {'age': (17, 90)}", "bounds-of-scan")
        numbers = [name for name, *_ in to.bounds(self.bounds, None) or []]
        types = {}
        for field in df.schema.fields:
            if field.name in types:
                raise DataError(f"column {field.name!r} is there twice; rename one of them", "column-twice")
            types[field.name] = field.dataType.typeName()
        for name in [*numbers, *words]:
            if name not in types:
                raise DataError(f"there is no column {name}; the DataFrame has {', '.join(types)}", "no-such-column")
        for name in numbers:
            if not types[name].startswith(_NUMBERS):
                raise DataTypeError(f"column {name} holds {types[name]}; bounds are for columns of numbers", "column-type")
        for name in words:
            if not types[name].startswith(_WORDS):
                raise DataTypeError(f"column {name} holds {types[name]}; a category needs text, whole numbers or booleans", "column-type")
        return list(dict.fromkeys([*numbers, *words]))


def _spark(df):
    if not hasattr(df, "mapInArrow"):
        raise DataTypeError(f"a {type(df).__name__} is no DataFrame of Spark; use shoal.KMeans for tables in memory", "not-a-table")


def _quoted(name):
    return "`" + name.replace("`", "``") + "`"


def _answers(asked):
    """What runs on an executor: the answer for the rows of a partition."""

    def work(batches):
        import pyarrow

        question = Question.from_bytes(asked)
        total, waiting, rows = merge(question, []), [], 0

        def answered():
            return merge(question, [total, answer(question, pyarrow.Table.from_batches(waiting))])

        for batch in batches:
            waiting.append(batch)
            rows += batch.num_rows
            if rows >= _ROWS_AT_ONCE:
                total, waiting, rows = answered(), [], 0
        if waiting:
            total = answered()
        yield pyarrow.RecordBatch.from_pydict({"answer": pyarrow.array([total], pyarrow.binary())})

    return work


def _labels(model, missing, column):
    """What runs on an executor: labels for the rows of a partition."""

    def work(batches):
        import pyarrow

        for batch in batches:
            labels = model.predict(pyarrow.Table.from_batches([batch]), missing)
            names = [*batch.schema.names, column]
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, pyarrow.array(labels, pyarrow.int32())], names=names)

    return work
