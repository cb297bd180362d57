"""Rows that a worker makes of captures: Arrow, without Spark."""

import tempfile
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from .._run import CaptureWarning, GattbenchError, UnreadableCapture
from ..checking import Report, check, stats
from ..decoding import decode
from ..explaining import why

TIME = pa.timestamp("us", tz="UTC")

RESULT = pa.struct(
    [
        ("rule", pa.string()), ("verdict", pa.string()), ("severity", pa.string()), ("role", pa.string()),
        ("text", pa.string()), ("connection", pa.int64()), ("passes", pa.int64()), ("failures", pa.int64()),
        ("frame", pa.int64()), ("expected", pa.string()), ("observed", pa.string()),
    ]
)  # fmt: skip

CHECKS = pa.schema(
    [
        ("path", pa.string()), ("day", pa.date32()), ("plugin", pa.string()), ("status", pa.string()),
        ("error", pa.string()), ("device", pa.string()), ("dialect", pa.string()), ("firmware", pa.string()),
        ("connections", pa.int64()), ("frames", pa.int64()), ("first", TIME), ("last", TIME),
        ("results", pa.list_(RESULT)),
    ]
)  # fmt: skip

CONSIDERED = pa.struct([("cause", pa.string()), ("against", pa.string())])

INCIDENTS = pa.schema(
    [
        ("path", pa.string()), ("day", pa.date32()), ("plugin", pa.string()), ("status", pa.string()),
        ("error", pa.string()), ("device", pa.string()), ("connection", pa.int64()), ("what", pa.string()),
        ("cause", pa.string()), ("confidence", pa.string()), ("frames", pa.list_(pa.int64())), ("text", pa.string()),
        ("advice", pa.string()), ("considered", pa.list_(CONSIDERED)),
    ]
)  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """What is asked of every capture."""

    options: dict[str, Any]
    """Of `gattbench.check`, `gattbench.why` or `gattbench.decode`."""
    fields: tuple[str, ...] = ()
    """The columns, or the fields that say a device's firmware."""
    attempts: int = 1
    """How many tasks may try a capture at which the program fails."""


def batches(rows: pa.RecordBatch, attempt: int, settings: Settings, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows of some captures: of each one's `path`, or of its `content`, as Spark's source `binaryFile` reads it."""
    make = checked if schema.equals(CHECKS) else explained if schema.equals(INCIDENTS) else decoded
    for row in rows.to_pylist():
        with _file(row) as file:
            try:
                yield from make(row["path"], file, settings, schema)
            except UnreadableCapture as error:
                yield _failed(row["path"], "unreadable", error, schema)
            except (GattbenchError, pa.ArrowInvalid) as error:
                # Another task may have better luck, on another machine; in the end, the failure is a row.
                if attempt + 1 < settings.attempts:
                    raise
                yield _failed(row["path"], "failed", error, schema)


@contextmanager
def _file(row: dict[str, Any]) -> Iterator[str]:
    content = row.get("content")
    if content is None:
        yield row["path"].removeprefix("file:")
        return
    with tempfile.NamedTemporaryFile(prefix="gattbench-") as file:
        file.write(content)
        file.flush()
        yield file.name


def _failed(path: str, status: str, error: BaseException, schema: pa.Schema) -> pa.RecordBatch:
    return _batch([{"path": path, "status": status, "error": str(error)}], schema)


def _batch(rows: list[dict[str, Any]], schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(rows, schema)


def _problems(caught: list[warnings.WarningMessage], file: str, path: str) -> str:
    """What is wrong with a capture, by the warnings about it."""
    of_capture = (one for one in caught if issubclass(one.category, CaptureWarning))
    return "\n".join(dict.fromkeys(str(one.message).replace(file, path) for one in of_capture))


def checked(path: str, file: str, settings: Settings, schema: pa.Schema = CHECKS) -> Iterator[pa.RecordBatch]:
    """A row for each device of a capture; one without a device for a capture, or results, that have none."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CaptureWarning)
        report = check(file, **settings.options)
        firmware = _firmware(file, settings) if settings.fields and report.data["devices"] else {}
    problems = _problems(caught, file, path)
    first, last = (datetime.fromisoformat(time) if time else None for time in map(report.data.get, ("first", "last")))
    capture = {
        "path": path, "day": first and first.date(), "first": first, "last": last, "frames": report.data["frames"],
        "status": "damaged" if problems else "ok", "error": problems or None,
    }  # fmt: skip
    yield _batch([{**capture, **device} for device in _devices(report, firmware)], schema)


def _devices(report: Report, firmware: dict[str | None, str]) -> Iterator[dict[str, Any]]:
    results: dict[str | None, list[dict[str, Any]]] = {}
    failures = set(report.failures)
    for result in report.results:
        if result.verdict == "not_applicable":
            continue
        row = {name: result.data.get(name) for name in RESULT.names}
        if result in failures:
            row["verdict"] = "fail"  # with `strict`, also a warning
        row["frame"] = next(iter(result.data.get("frames", [])), None)
        results.setdefault(result.device, []).append(row)
    devices = report.data["devices"]
    only = next(iter(firmware.values())) if len(devices) == 1 and len(set(firmware.values())) == 1 else None
    for device in devices:
        yield {
            "device": device.get("address", device["id"]), "plugin": device.get("plugin"), "dialect": device.get("dialect"),
            "firmware": firmware.get(device.get("address"), only) or device.get("firmware"),
            "connections": device["connections"],
            "results": results.pop(device["id"], []),
        }  # fmt: skip
    rest = [row for rows in results.values() for row in rows]
    if rest or not devices:
        yield {"results": rest}


def _firmware(file: str, settings: Settings) -> dict[str | None, str]:
    """The firmware of each peer, as the last of the settings' fields says it."""
    options = {name: value for name, value in settings.options.items() if name in ("plugins", "keys", "timeout")}
    condition = " || ".join(settings.fields)
    found: dict[str | None, str] = {}
    for row in decode(file, ["peer", *settings.fields], filter=condition, **options).read_all().to_pylist():
        found.update({row["peer"]: str(row[name]) for name in settings.fields if row[name] is not None})
    return found


def explained(path: str, file: str, settings: Settings, schema: pa.Schema = INCIDENTS) -> Iterator[pa.RecordBatch]:
    """A row for each incident of a capture; one without an incident for a capture in which nothing went wrong."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CaptureWarning)
        incidents = why(file, **settings.options)
        found = stats(file, **settings.options)
    problems = _problems(caught, file, path)
    day = date.fromisoformat(found["start"][:10]) if found.get("start") else None
    capture = {"path": path, "day": day, "status": "damaged" if problems else "ok", "error": problems or None}
    plugins = {
        device[name]: device["plugin"]
        for name in ("address", "name")
        for device in found["devices"]
        if name in device and "plugin" in device
    }
    rows = [{**incident.data, "plugin": plugins.get(incident.device or "")} for incident in incidents]
    yield _batch([{**capture, **row} for row in rows or [{}]], schema)


def column_names(fields: Iterable[str]) -> list[str]:
    """Fields as names of columns: `btatt_value`, as a dot would be one of a struct."""
    names = [field.replace(".", "_") for field in fields]
    taken = {"path", "day", "plugin", "status", "error"}
    for index, name in enumerate(names):
        if name in taken or name in names[:index]:
            raise ValueError(f"{name}: two columns would have this name")
    return names


def decoded(path: str, file: str, settings: Settings, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """A row for each frame, and one with what is wrong with the capture."""
    columns = list(dict.fromkeys(["frame.time_epoch", "device.plugin", *settings.fields]))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CaptureWarning)
        for batch in decode(file, columns, **settings.options):
            days = batch["frame.time_epoch"].cast(pa.date32(), safe=False)
            plugins = batch["device.plugin"].cast(pa.string())
            count = batch.num_rows
            paths = pa.repeat(path, count)
            texts = [pa.repeat("ok", count), pa.nulls(count, pa.string())]
            values = [portable(batch[name]) for name in settings.fields]
            yield pa.RecordBatch.from_arrays([paths, days, plugins, *texts, *values], schema=schema)
    problems = _problems(caught, file, path)
    if problems:
        yield _batch([{"path": path, "status": "damaged", "error": problems}], schema)


def portable_type(kind: pa.DataType) -> pa.DataType:
    """The type that Spark has for one of `gattbench.decode`."""
    if pa.types.is_list(kind):
        return pa.list_(portable_type(kind.value_type))
    if pa.types.is_dictionary(kind):
        return pa.string()
    if pa.types.is_timestamp(kind):
        return TIME
    if pa.types.is_duration(kind):
        return pa.duration("us")
    return pa.int64() if kind == pa.uint64() else kind


def portable(column: pa.Array) -> pa.Array:
    """A column with the type that Spark has for it: times lose their nanoseconds, a number beyond 2^63 - 1 is an error."""
    if pa.types.is_list(column.type):
        lengths = pc.fill_null(pc.list_value_length(column), 0)
        ends = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(lengths)])
        return pa.ListArray.from_arrays(ends, portable(column.flatten()), mask=column.is_null())
    kind = portable_type(column.type)
    return column.cast(kind, safe=not pa.types.is_temporal(kind))
