"""How columns of text become typed ones: by Arrow's kernels alone."""

import binascii
from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from .fields import Field

SEPARATOR = "\x1f"
"""Stands between several values of a field in a frame; no value has it, as the program escapes control characters."""

_NANOSECONDS = pa.scalar(10**9, pa.decimal128(10, 0))
_SECONDS = pa.decimal128(20, 9)
# The types that Arrow's CSV reader gives columns of one value; what follows makes the field's own type of them.
_READ: dict[str, pa.DataType] = {"bytes": pa.string(), "epoch": _SECONDS, "duration": _SECONDS}


def read_type(field: Field, is_list: bool, has_lists: bool) -> pa.DataType:
    """The type that a column is read with. Where a field may stand several times in a frame, columns are texts first."""
    if is_list or has_lists and not field.name.startswith("frame."):
        return pa.string()
    return _READ.get(field.type, field.arrow_type)


def column_type(field: Field, is_list: bool) -> pa.DataType:
    """The type that a column has in the end."""
    return pa.list_(field.arrow_type) if is_list else field.arrow_type


def convert(column: pa.Array, field: Field, is_list: bool) -> pa.Array:
    """A column as it was read, with the type that it has in the end."""
    if is_list:
        lists = pc.split_pattern(column, SEPARATOR)
        values = _typed(lists.flatten(), field)
        offsets = pc.subtract(lists.offsets, lists.offsets[0]) if len(lists) else lists.offsets
        return pa.ListArray.from_arrays(offsets, values, type=column_type(field, True), mask=column.is_null())
    if column.type == pa.string() and field.type not in ("text", "address", "uuid"):
        column = _first(column)
    elif column.type == pa.string():
        column = _first(column).dictionary_encode()
    return _typed(column, field)


def _first(column: pa.Array) -> pa.Array:
    """The first of several values."""
    if pc.any(pc.match_substring(column, SEPARATOR)).as_py():
        return pc.replace_substring_regex(column, SEPARATOR + ".*", "")
    return column


def _typed(column: pa.Array, field: Field) -> pa.Array:
    if field.type == "bytes":
        return unhex(column)
    if field.type in ("epoch", "duration"):
        seconds = column if column.type == _SECONDS else column.cast(_SECONDS)
        return pc.multiply(seconds, _NANOSECONDS).cast(pa.int64()).cast(field.arrow_type)
    if column.type == field.arrow_type:
        return column
    return _CASTS.get(field.type, pc.cast)(column, field.arrow_type)


def _boolean(column: pa.Array, target: pa.DataType) -> pa.Array:
    return pc.equal(column, "1")


def _encoded(column: pa.Array, target: pa.DataType) -> pa.Array:
    return column.dictionary_encode() if column.type == pa.string() else column.cast(target)


_CASTS: dict[str, Callable[[pa.Array, pa.DataType], pa.Array]] = {
    "boolean": _boolean,
    "presence": _boolean,
    "text": _encoded,
    "address": _encoded,
    "uuid": _encoded,
}


def unhex(column: pa.StringArray) -> pa.BinaryArray:
    """The bytes of hexadecimal digits. Those of all values are one buffer, which is translated at once."""
    if column.offset:
        column = pa.concat_arrays([column])  # begins at its buffers' beginning
    validity, ends, digits = column.buffers()
    ends = pa.Array.from_buffers(pa.int32(), len(column) + 1, [None, ends]) if len(column) else pa.array([0], pa.int32())
    first, last = ends[0].as_py(), ends[-1].as_py()
    data = binascii.unhexlify(memoryview(digits)[first:last]) if digits is not None else b""
    halves = pc.shift_right(pc.subtract(ends, pa.scalar(first, pa.int32())), pa.scalar(1, pa.int32()))
    buffers = [validity, halves.buffers()[1], pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.binary(), len(column), buffers, column.null_count)
