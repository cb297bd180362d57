"""What a fleet's checks say together."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timezone
from itertools import pairwise
from os import fspath
from pathlib import Path as LocalPath
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from .._run import Path

Row = dict[str, Any]


@dataclass(frozen=True)
class FleetReport:
    """Pass rates and what failed; every list has its worst or newest rows first."""

    summary: Row
    """Captures, those of each status, frames, devices, first and last day."""
    rules: list[Row] = field(repr=False)
    """Of each rule of each plugin: devices' results, failures, warnings, the rate of those that passed, and by firmware."""
    firmware: list[Row] = field(repr=False)
    """Of each plugin and firmware: captures, devices, the rate of captures without a broken rule, first and last day."""
    devices: list[Row] = field(repr=False)
    """The same of the devices with the most captures in which a rule is broken."""
    regressions: list[Row] = field(repr=False)
    """Rules that pass less often than with the firmware before, or on the last day than on earlier days."""
    worst: list[Row] = field(repr=False)
    """Captures that break the most rules."""
    damaged: list[Row] = field(repr=False)
    """Captures that could not be read, or in part only."""

    def to_dict(self) -> Row:
        """As JSON has it."""
        return asdict(self)

    def to_json(self, path: Path) -> None:
        """Writes a JSON file."""
        LocalPath(fspath(path)).write_text(json.dumps(self.to_dict(), indent=2, default=_text) + "\n")

    def to_html(self, path: Path, *, link: str | None = None) -> None:
        """Writes a page that needs no other file; `link` makes a capture's address of its `{path}`."""
        from ._page import page

        LocalPath(fspath(path)).write_text(page(self, link))


def _text(value: Any) -> str:
    assert isinstance(value, (date, datetime))
    return value.isoformat()


def fleet_report(checks: DataFrame, *, least: int = 10, drop: float = 0.05, top: int = 20) -> FleetReport:
    """The report of a table of `check`, best of one that was written.

    A regression is a rule whose pass rate is lower by more than `drop`, with at least `least` results on both sides. `top`
    bounds the lists of devices, regressions and captures.
    """
    version = F.coalesce("firmware", "dialect", F.lit("unknown"))
    failures = F.size(F.filter("results", _fails))
    visits = checks.withColumn("firmware", version).withColumn("failures", F.greatest(failures, F.lit(0)))
    summary = _summary(visits)
    cells = _rows(_cells(visits, summary["last_day"]))
    devices = visits.where(F.col("device").isNotNull())
    broken = F.count_distinct(F.when(F.col("failures") > 0, F.col("path")))
    groups = (F.count_distinct("path").alias("captures"), broken.alias("broken"))
    days = (F.min("day").alias("first_day"), F.max("day").alias("last_day"))
    by_firmware = devices.groupBy("plugin", "firmware").agg(*groups, F.count_distinct("device").alias("devices"), *days)
    latest = F.max_by("firmware", "first").alias("firmware")
    by_device = devices.groupBy("plugin", "device").agg(*groups, latest, *days).where("broken > 0")
    return FleetReport(
        summary,
        _rules(cells),
        sorted(map(_rated, _rows(by_firmware)), key=lambda row: (row["plugin"] or "", row["first_day"], row["firmware"])),
        [_rated(row) for row in _rows(by_device.orderBy(F.desc("broken"), "device", "plugin").limit(top))],
        _regressions(cells, summary["last_day"], least, drop)[:top],
        _rows(_worst(visits).limit(top)),
        _rows(_damaged(checks).limit(top)),
    )


def _rows(table: DataFrame) -> list[Row]:
    return [row.asDict(recursive=True) for row in table.collect()]


def _rated(row: Row) -> Row:
    return {**row, "rate": 1 - row["broken"] / row["captures"]}


def _summary(visits: DataFrame) -> Row:
    one = visits.groupBy("path", "status").agg(F.max("frames").alias("frames"), F.sum("failures").alias("failures"))
    statuses = _rows(
        one.groupBy("status").agg(F.count("*").alias("captures"), F.sum("frames").alias("frames"),
        F.count_if(F.col("failures") > 0).alias("broken")).orderBy("status")
    )  # fmt: skip
    whole = visits.agg(
        F.count_distinct("device").alias("devices"), F.min("day").alias("first_day"), F.max("day").alias("last_day")
    )
    return {
        "captures": sum(row["captures"] for row in statuses),
        "broken": sum(row["broken"] for row in statuses),
        "frames": sum(row["frames"] or 0 for row in statuses),
        "status": {row["status"]: row["captures"] for row in statuses},
        **_rows(whole)[0],
    }


def _cells(visits: DataFrame, last_day: date | None) -> DataFrame:
    """How often each rule passed with each firmware, in all and on the last day."""
    context = ("path", "day", "first", "plugin", "device", "firmware")
    results = visits.select(*context, F.explode("results").alias("result")).select(*context, "result.*")
    judged = results.where(F.col("verdict").isin("pass", "fail", "warning"))
    failed, is_new = F.col("verdict") == "fail", F.col("day") == F.lit(last_day)

    def among(condition: Column, column: str) -> Column:
        return F.when(condition, F.col(column))

    return judged.groupBy("plugin", "rule", "firmware").agg(
        F.first("text").alias("text"), F.first("severity").alias("severity"), F.first("role").alias("role"),
        F.count("*").alias("judged"), F.count_if(failed).alias("failed"),
        F.count_if(F.col("verdict") == "warning").alias("warnings"),
        F.count_if(is_new).alias("judged_new"), F.count_if(is_new & failed).alias("failed_new"),
        F.min("first").alias("seen"), F.min(among(failed, "first")).alias("since"),
        F.min_by("path", among(failed, "first")).alias("example"),
        F.min(among(failed & is_new, "first")).alias("since_new"),
        F.min_by("path", among(failed & is_new, "first")).alias("example_new"),
    )  # fmt: skip


def _rate(judged: int, failed: int) -> float:
    return 1 - failed / judged


def _grouped(cells: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    """The cells of each rule, by the time at which a firmware was first seen."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for cell in sorted(cells, key=lambda cell: (cell["plugin"] or "", cell["rule"], cell["seen"], cell["firmware"])):
        groups.setdefault((cell["plugin"], cell["rule"]), []).append(cell)
    return groups


def _rules(cells: list[Row]) -> list[Row]:
    rules = []
    for (plugin, rule), group in _grouped(cells).items():
        judged, failed, warnings = (sum(cell[name] for cell in group) for name in ("judged", "failed", "warnings"))
        rules.append({
            "plugin": plugin, "rule": rule, **{name: group[0][name] for name in ("text", "severity", "role")},
            "judged": judged, "failed": failed, "warnings": warnings, "rate": _rate(judged, failed),
            "by_firmware": {cell["firmware"]: _rate(cell["judged"], cell["failed"]) for cell in group},
        })  # fmt: skip
    return sorted(rules, key=lambda row: (row["rate"], -row["warnings"], row["plugin"] or "", row["rule"]))


def _regressions(cells: list[Row], last_day: date | None, least: int, drop: float) -> list[Row]:
    found = []

    def compare(cell: Row, before: tuple[str, int, int], after: tuple[str, int, int], suffix: str) -> None:
        old, new = before[1:], after[1:]
        if min(old[0], new[0]) >= least and _rate(*new) < _rate(*old) - drop:
            found.append({
                "plugin": cell["plugin"], "rule": cell["rule"], "text": cell["text"], "firmware": cell["firmware"],
                "before": before[0], "after": after[0], "rate_before": _rate(*old), "rate_after": _rate(*new),
                # Spark gives times without a zone, in that of this process.
                "since": cell[f"since{suffix}"].astimezone(timezone.utc), "example": cell[f"example{suffix}"],
            })  # fmt: skip

    for group in _grouped(cells).values():
        for pair in pairwise(group):
            sides = [(f"firmware {cell['firmware']}", cell["judged"], cell["failed"]) for cell in pair]
            compare(pair[1], sides[0], sides[1], "")
        for cell in group:
            judged, failed = cell["judged"] - cell["judged_new"], cell["failed"] - cell["failed_new"]
            new = (str(last_day), cell["judged_new"], cell["failed_new"])
            compare(cell, ("earlier days", judged, failed), new, "_new")
    return sorted(found, key=lambda row: (row["since"], row["rate_before"] - row["rate_after"]), reverse=True)


def _worst(visits: DataFrame) -> DataFrame:
    rules = F.flatten(F.collect_list(F.transform(F.filter("results", _fails), lambda result: result["rule"])))
    return (
        visits.where("failures > 0").groupBy("path")
        .agg(F.sum("failures").alias("failures"), F.array_sort(F.array_distinct(rules)).alias("rules"),
             F.array_sort(F.collect_set("plugin")).alias("plugins"), F.array_sort(F.collect_set("firmware")).alias("firmware"),
             F.max("day").alias("day"))
        .orderBy(F.desc("failures"), F.desc("day"), "path")
    )  # fmt: skip


def _fails(result: Column) -> Column:
    return result["verdict"] == "fail"


def _damaged(checks: DataFrame) -> DataFrame:
    return checks.where("status != 'ok'").select("path", "status", "error", "day").distinct().orderBy("status", "path")
