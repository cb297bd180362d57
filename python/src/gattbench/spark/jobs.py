"""Jobs of Spark over captures."""

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from os import fspath
from pathlib import Path as LocalPath
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession

from .._run import Path, UsageError
from ..decoding import decode as decode_capture
from ._rows import CHECKS, INCIDENTS, TIME, Settings, batches, column_names, portable_type


def captures(spark: SparkSession, *places: Path, per_task: int = 1) -> DataFrame:
    """The captures of files, patterns and folders with all that is below them, as a table with the column `path`.

    Each task gets `per_task` of them. All workers must see the files by these paths.
    """
    files = [file for place in places for file in _files(fspath(place))]
    if not files:
        raise FileNotFoundError(f"there is no file in {', '.join(str(place) for place in places) or 'no folder'}")
    # By range, each task gets as many. (An RDD with so many parts would start a second Python in every task.)
    table = spark.createDataFrame([(file,) for file in files], "path string")
    return table.repartitionByRange(-(-len(files) // per_task), "path")


def _files(place: str) -> Iterator[str]:
    if os.path.isdir(place):
        for folder, folders, names in os.walk(place):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from (os.path.abspath(os.path.join(folder, name)) for name in sorted(names) if not name.startswith("."))
    elif glob.has_magic(place) and not os.path.exists(place):
        for found in sorted(glob.glob(place, recursive=True)):
            yield from _files(found)
    else:
        yield os.path.abspath(place)


def check(
    captures: DataFrame,
    *,
    plugins: Iterable[Path] = (),
    role: str | None = None,
    waivers: Path | None = None,
    strict: bool = False,
    oracle: bool = False,
    keys: Path | Iterable[Path] = (),
    firmware: Sequence[str] = (),
    timeout: float = 600,
    attempts: int = 2,
) -> DataFrame:
    """Checks captures: a row for each device of each capture, with the results of the rules that applied.

    `captures` has a column `path`, and may have `content`, as Spark's source `binaryFile` has them. What is wrong with a
    capture is in `status` (`ok`, `damaged`, `unreadable`, `failed`) and `error`, and no failure of the job. `firmware` are
    fields that say a device's firmware, beside the characteristic Firmware Revision. Where the program fails, or takes over
    `timeout` seconds, up to `attempts` tasks try it. `keys` are files with keys of encrypted packets, which all workers must
    see.
    """
    files = _texts(() if waivers is None else [waivers])
    options = {
        "plugins": _texts(plugins), "role": role, "waivers": files[0] if files else None, "strict": strict,
        "oracle": oracle, "keys": _key_files(keys), "timeout": timeout,
    }  # fmt: skip
    return _over(captures, Settings(options, tuple(firmware), _attempts(captures, attempts)), CHECKS)


def why(
    captures: DataFrame,
    *,
    plugins: Iterable[Path] = (),
    keys: Path | Iterable[Path] = (),
    timeout: float = 600,
    attempts: int = 2,
) -> DataFrame:
    """Explains captures: a row for each incident, with its cause; one without an incident where nothing went wrong.

    `captures`, `status`, `error`, `keys`, `timeout` and `attempts` are as for `check`.
    """
    options = {"plugins": _texts(plugins), "keys": _key_files(keys), "timeout": timeout}
    return _over(captures, Settings(options, (), _attempts(captures, attempts)), INCIDENTS)


def decode(
    captures: DataFrame,
    fields: Sequence[str],
    *,
    filter: str | None = None,
    lists: Iterable[str] = (),
    names: Iterable[str] = (),
    plugins: Iterable[Path] = (),
    keys: Path | Iterable[Path] = (),
    timeout: float = 600,
    attempts: int = 2,
) -> DataFrame:
    """The fields of the frames of captures, a row each, with `path`, `day`, `plugin`, `status` and `error`.

    Columns are named as fields, with `_` for dots. A capture with which something is wrong has a row more, without a frame;
    `status` and `error` say what.
    """
    options: dict[str, Any] = {
        "filter": filter, "lists": [*lists], "names": [*names], "plugins": _texts(plugins), "keys": _key_files(keys),
    }  # fmt: skip
    # An empty capture has the schema, and errors of fields and filters come before the job.
    schema = decode_capture(os.devnull, fields, **options).schema
    columns = zip(column_names(fields), schema.types, strict=True)
    common = [("path", pa.string()), ("day", pa.date32()), ("plugin", pa.string())]
    texts = [("status", pa.string()), ("error", pa.string())]
    portable = pa.schema([*common, *texts, *((name, portable_type(kind)) for name, kind in columns)])
    settings = Settings({**options, "timeout": timeout}, tuple(fields), _attempts(captures, attempts))
    return _over(captures, settings, portable)


def write(frame: DataFrame, path: Path, *, mode: str = "errorifexists") -> None:
    """Writes a table as Parquet, partitioned by day and plugin; with `mode="overwrite"`, only partitions that it has."""
    # A file of each partition, or several where it is large: the tasks alone would write one each.
    balanced = frame.sparkSession.sql("SELECT /*+ REBALANCE(day, plugin) */ * FROM {frame}", frame=frame)
    writer = balanced.write.mode(mode).option("partitionOverwriteMode", "dynamic")
    writer.partitionBy("day", "plugin").parquet(fspath(path))


def _over(captures: DataFrame, settings: Settings, schema: pa.Schema) -> DataFrame:
    columns = [name for name in ("path", "content") if name in captures.columns]
    if "path" not in columns:
        raise UsageError(f"the captures have no column path: {', '.join(captures.columns)}")

    def rows(parts: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
        context = TaskContext.get()
        for part in parts:
            yield from batches(part, context.attemptNumber() if context else 0, settings, schema)

    return captures.select(*columns).mapInArrow(rows, _ddl(schema))


def _attempts(captures: DataFrame, wanted: int) -> int:
    """How many times Spark runs a task at most, without failing the job."""
    conf = captures.sparkSession.conf
    master = conf.get("spark.master", "") or ""
    if master.startswith("local") and not master.startswith("local-cluster"):
        limit = master.rstrip("]").split(",")[1] if "," in master else "1"
    else:
        limit = conf.get("spark.task.maxFailures", "4") or "4"
    return min(wanted, int(limit))


def _texts(paths: Iterable[Path]) -> list[str]:
    # A path must not depend on the folder in which a worker runs; a name that is no file is a built-in plugin's.
    return [str(LocalPath(path).resolve()) if LocalPath(path).exists() else fspath(path) for path in paths]


def _key_files(keys: Path | Iterable[Path]) -> list[str]:
    return _texts([keys] if isinstance(keys, (str, os.PathLike)) else keys)


_DDL = {
    pa.string(): "string", pa.int64(): "bigint", pa.float64(): "double", pa.bool_(): "boolean", pa.binary(): "binary",
    pa.date32(): "date", TIME: "timestamp", pa.duration("us"): "interval day to second",
}  # fmt: skip


def _ddl(schema: pa.Schema | pa.StructType) -> str:
    """A schema as Spark writes it."""
    return ", ".join(f"`{field.name}` {_ddl_type(field.type)}" for field in schema)


def _ddl_type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"array<{_ddl_type(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(f'`{field.name}`: {_ddl_type(field.type)}' for field in kind)}>"
    return _DDL[kind]
