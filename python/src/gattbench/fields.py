"""The fields that columns and filters can name, with their types."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from os import fspath

import pyarrow as pa

from ._program import program
from ._run import Path, options, run_json

_TEXT = pa.dictionary(pa.int32(), pa.string())
_TIME = pa.timestamp("ns", tz="UTC")

ARROW_TYPES: dict[str, pa.DataType] = {
    "unsigned": pa.uint64(),
    "signed": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "presence": pa.bool_(),
    "bytes": pa.binary(),
    "text": _TEXT,
    "address": _TEXT,
    "uuid": _TEXT,
    "timestamp": _TIME,
    "epoch": _TIME,
    "duration": pa.duration("ns"),
}
"""The Arrow types of columns, by the types that `gattbench fields` prints."""


@dataclass(frozen=True)
class Field:
    """A field of a frame."""

    name: str
    label: str
    type: str
    """As `gattbench fields` prints it: `unsigned`, `timestamp`, …"""
    unit: str | None = None
    repeated: bool = False
    """Whether it is an element of a list of any length: its column is one of lists."""
    names: tuple[tuple[int, str], ...] = ()
    """Names of its values."""

    @property
    def arrow_type(self) -> pa.DataType:
        """The type of its values."""
        return ARROW_TYPES[self.type]


def fields(*names: str, plugins: Iterable[Path] = ()) -> list[Field]:
    """All fields, or those of some names with the fields within them."""
    return list(_fields(program(), names, tuple(fspath(plugin) for plugin in plugins)))


# A plugin that is a file may change, so what was said of it is not kept.
def _fields(path: str, names: tuple[str, ...], plugins: tuple[str, ...]) -> tuple[Field, ...]:
    return _read(names, plugins) if plugins else _cached(path, names)


@lru_cache(maxsize=256)
def _cached(path: str, names: tuple[str, ...]) -> tuple[Field, ...]:
    return _read(names, ())


def _read(names: tuple[str, ...], plugins: tuple[str, ...]) -> tuple[Field, ...]:
    rows = run_json(["fields", "--json", *names, *options("--plugin", plugins)])
    return tuple(
        Field(
            row["name"],
            row["label"],
            row["type"],
            row.get("unit"),
            row.get("repeated", False),
            tuple((int(value), name) for value, name in row.get("names", {}).items()),
        )
        for row in rows
    )
