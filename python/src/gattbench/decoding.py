"""Captures as Arrow tables."""

import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from os import fspath
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from . import _columns
from ._program import program
from ._run import Path, TimedOut, UsageError, failure, key_options, options, warn
from .fields import Field, fields

if TYPE_CHECKING:
    import pandas
    import polars


def decode(
    path: Path,
    fields: Sequence[str],
    *,
    filter: str | None = None,
    lists: Iterable[str] = (),
    names: Iterable[str] = (),
    plugins: Iterable[Path] = (),
    gatt: Path | None = None,
    keys: Path | Iterable[Path] = (),
    block_size: int = 1 << 22,
    timeout: float | None = None,
) -> pa.RecordBatchReader:
    """The fields of the frames of a capture, one row a frame.

    Columns have the types of their fields: whole numbers, times in UTC, bytes, booleans; texts are dictionary-encoded. A
    column of a field that is an element of a list is one of lists, and so are those of `lists`; others have the first value
    of their field in the frame, null where the frame has none. Columns of `names` have the names of values, as `Handle
    Value Notification` of `btatt.opcode`.

    The program runs while batches are read. Warnings of it are `CaptureWarning`s, an error is raised by the reader.

    - `filter`: a display filter in Wireshark's syntax: only frames that pass it are rows.
    - `plugins`: names or paths of further plugins.
    - `gatt`: a file with attribute tables, as `gattbench stats --gatt-out` writes it.
    - `keys`: a file with keys of encrypted packets, or several.
    - `block_size`: bytes of the program's output that become one batch.
    - `timeout`: seconds after which the program is ended, and `TimedOut` raised.
    """
    plugins = list(plugins)
    columns = _fields_of(fields, plugins)
    listed = {*lists, *(field.name for field in columns if field.repeated)}
    named = set(names)
    for name in (listed | named) - set(fields):
        raise UsageError(f"{name}: not among the fields")
    for field in columns:
        if field.name in named and not field.names:
            raise UsageError(f"{field.name}: its values have no names")
    arguments = ["decode", "-T", "csv", "-E", "occurrence=a" if listed else "occurrence=f"]
    arguments += ["-E", f"aggregator={_columns.SEPARATOR}", *options("-e", fields), *options("--plugin", plugins)]
    arguments += ["-Y", filter] if filter is not None else []
    arguments += ["--gatt", fspath(gatt)] if gatt is not None else []
    arguments += key_options(keys)
    source = _Source([*arguments, "--", fspath(path)], columns, listed, named, block_size, timeout)
    return pa.RecordBatchReader.from_batches(source.schema, source.batches())


def _fields_of(names: Sequence[str], plugins: Iterable[Path]) -> list[Field]:
    """The fields of columns."""
    if not names:
        raise UsageError("no fields: name some, like frame.number")
    if len(set(names)) < len(names):
        raise UsageError("a field stands there twice")
    texts = {name: Field(name, name, "text") for name in names if name.startswith("_ws.col.")}
    known = {field.name: field for field in fields(*(name for name in names if name not in texts), plugins=plugins)}
    return [texts.get(name) or known[name] for name in names]


class _Source:
    """The program's columns as batches."""

    def __init__(
        self,
        arguments: list[str],
        columns: list[Field],
        lists: set[str],
        names: set[str],
        block_size: int,
        timeout: float | None,
    ):
        self.arguments = arguments
        self.columns = [(field, field.name in lists) for field in columns]
        self.names = names
        self.has_lists = bool(lists)
        self.block_size = block_size
        self.timeout = timeout
        self.schema = pa.schema([self._field(field, is_list) for field, is_list in self.columns])

    def _field(self, field: Field, is_list: bool) -> pa.Field:
        metadata = {"label": field.label, **({"unit": field.unit} if field.unit else {})}
        kind = _columns.column_type(field, is_list)
        if field.name in self.names:
            kind = pa.list_(_NAMES) if is_list else _NAMES
        return pa.field(field.name, kind, metadata=metadata)

    def batches(self) -> Iterator[pa.RecordBatch]:
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(
                [program(), *self.arguments], stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL
            )
            assert process.stdout is not None
            has_expired = threading.Event()

            def expire() -> None:
                has_expired.set()
                process.kill()

            timer = threading.Timer(self.timeout or 0, expire)
            if self.timeout is not None:
                timer.start()
            try:
                yield from self._read(process.stdout)
                code = process.wait()
            except pa.ArrowInvalid:
                if not has_expired.is_set():
                    raise
                code = process.wait()  # the last line was cut
            finally:
                timer.cancel()
                process.stdout.close()
                if process.poll() is None:
                    process.terminate()
                    process.wait()
            errors.seek(0)
            text = errors.read()
            if has_expired.is_set():
                raise TimedOut(f"the program took over {self.timeout:g} s")
            if code != 0:
                raise failure(code, text)
            warn(text)

    def _read(self, output: Any) -> Iterator[pa.RecordBatch]:
        types = {
            field.name: _columns.read_type(field, is_list, self.has_lists) for field, is_list in self.columns
        }
        converting = csv.ConvertOptions(
            column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False,
            true_values=["1"], false_values=["0"],
        )  # fmt: skip
        # Values have no line feeds: the program escapes them. A line of one column may be empty.
        parsing = csv.ParseOptions(newlines_in_values=False, ignore_empty_lines=False)
        if not output.peek(1):
            return  # the program has failed
        reader = csv.open_csv(output, csv.ReadOptions(block_size=self.block_size), parsing, converting)
        for batch in reader:
            yield pa.RecordBatch.from_arrays(
                [self._convert(batch.column(index), *column) for index, column in enumerate(self.columns)],
                schema=self.schema,
            )

    def _convert(self, column: pa.Array, field: Field, is_list: bool) -> pa.Array:
        column = _columns.convert(column, field, is_list)
        if field.name not in self.names:
            return column
        if is_list:
            return pa.ListArray.from_arrays(
                column.offsets, _named(column.flatten(), field), mask=column.is_null() if column.null_count else None
            )
        return _named(column, field)


_NAMES = pa.dictionary(pa.int32(), pa.string())


def _named(column: pa.Array, field: Field) -> pa.Array:
    """Numbers by their names; null where a number has none."""
    kind = bool if pa.types.is_boolean(column.type) else int
    values = pa.array([kind(value) for value, _ in field.names], column.type)
    indices = pc.index_in(column, value_set=values)
    return pa.DictionaryArray.from_arrays(indices, pa.array([name for _, name in field.names]))


class ValueTable:
    """The values of one kind, a row each: `table` is Arrow's."""

    def __init__(self, table: pa.Table):
        self.table = table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        return f"<ValueTable of {len(self)} rows: {', '.join(self.table.column_names)}>"

    def to_pandas(self) -> "pandas.DataFrame":
        """As a pandas data frame; numbers that are missing somewhere keep their type."""
        import pandas

        types = {
            pa.uint64(): pandas.UInt64Dtype(), pa.int64(): pandas.Int64Dtype(), pa.bool_(): pandas.BooleanDtype(),
        }  # fmt: skip
        return self.table.to_pandas(types_mapper=types.get)

    def to_polars(self) -> "polars.DataFrame":
        """As a polars data frame."""
        import polars

        frame = polars.from_arrow(self.table)
        assert isinstance(frame, polars.DataFrame)
        return frame

    def to_parquet(self, path: Path, **more: Any) -> None:
        """Writes a Parquet file; `more` goes to `pyarrow.parquet.write_table`."""
        parquet.write_table(self.table, fspath(path), **more)


_CONTEXT = {
    "frame.number": "frame", "frame.time_epoch": "time", "connection": "connection", "peer": "peer",
    "gatt.operation": "operation",
}  # fmt: skip


def values(
    path: Path,
    name: str,
    *,
    filter: str | None = None,
    plugins: Iterable[Path] = (),
    gatt: Path | None = None,
    keys: Path | Iterable[Path] = (),
) -> ValueTable:
    """All values of a message, characteristic or structure, such as `aquavate.current_state`, as a tidy table.

    Columns are the frame's number and time, the connection, the peer, the operation, and the value's fields by their names
    within it. Where a value has a list of records, each record is a row.
    """
    plugins = list(plugins)
    within = [field for field in fields(name, plugins=plugins) if field.type != "presence"]
    columns = [field for field in within if field.name != name] or within
    listed = [field.name for field in columns if field.repeated]
    condition = name if filter is None else f"{name} && ({filter})"
    reader = decode(
        path, [*_CONTEXT, *(field.name for field in columns)], filter=condition, plugins=plugins, gatt=gatt, keys=keys
    )
    table = _exploded(reader.read_all(), listed)
    short = [_CONTEXT.get(column) or column.removeprefix(f"{name}.") for column in table.column_names]
    return ValueTable(table.rename_columns(short).unify_dictionaries())


def _exploded(table: pa.Table, listed: list[str]) -> pa.Table:
    """Lists of the same lengths as rows; the table itself where their lengths differ."""
    if not listed:
        return table
    table = table.combine_chunks()
    lengths = [pc.list_value_length(table[name]).fill_null(0) for name in listed]
    if any(not length.equals(lengths[0]) for length in lengths):
        return table
    rows = pc.list_parent_indices(table[listed[0]])
    columns = [
        pc.list_flatten(table[name]) if name in listed else table[name].take(rows) for name in table.column_names
    ]
    return pa.table(columns, names=table.column_names)
