"""Checks a fleet of captures: python -m gattbench.spark check PLACE… --out TABLE, then report TABLE --html FILE."""

import argparse
import os
import sys

from pyspark.sql import SparkSession

from .._run import GattbenchError
from . import captures, check, fleet_report, write
from .report import FleetReport


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m gattbench.spark", description="Check a fleet of captures on Spark.")
    parser.add_argument("--master", help="Spark's master, as spark://host:7077; by default that of spark-submit, or local[*]")
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("check", help="check captures and write a table as Parquet, by day and plugin")
    checking.add_argument("places", nargs="+", metavar="PLACE", help="a capture, a pattern or a folder")
    checking.add_argument("--out", required=True, metavar="TABLE", help="folder of the table")
    checking.add_argument("--mode", default="errorifexists", choices=["errorifexists", "append", "overwrite"],
                          help="what becomes of a table that exists; overwrite replaces the days and plugins that are new")
    checking.add_argument("--per-task", type=int, default=1, metavar="N", help="captures of a task (default: 1)")
    checking.add_argument("--timeout", type=float, default=600, metavar="SECONDS", help="for a capture (default: 600)")
    checking.add_argument("--plugin", action="append", default=[], help="name or path of a further plugin")
    checking.add_argument("--keys", action="append", default=[], metavar="FILE",
                          help="a file with keys of encrypted packets, which all workers see")
    checking.add_argument("--role", choices=["peripheral", "client", "both"], help="rules to check")
    checking.add_argument("--waivers", help="rules that may fail")
    checking.add_argument("--strict", action="store_true", help="warnings count as failures")
    checking.add_argument("--firmware", action="append", default=[], metavar="FIELD",
                          help="a field that says the firmware, beside the characteristic Firmware Revision")
    reporting = commands.add_parser("report", help="report a table of check")
    reporting.add_argument("table", metavar="TABLE")
    reporting.add_argument("--html", metavar="FILE", help="write a page")
    reporting.add_argument("--json", metavar="FILE", help="write JSON")
    reporting.add_argument("--link", help="address of a capture, with {path}")
    reporting.add_argument("--top", type=int, default=20, metavar="N", help="rows of a list (default: 20)")
    return parser  # fmt: skip


def _summary(report: FleetReport) -> str:
    summary = report.summary
    statuses = ", ".join(f"{count} {name}" for name, count in summary["status"].items())
    lines = [f"{summary['captures']} captures of {summary['devices']} devices: {statuses}; {summary['broken']} break a rule"]
    for row in report.firmware:
        lines.append(f"{row['plugin'] or '-'} {row['firmware']}: {row['captures']} captures, {row['rate']:.1%} pass")
    for row in report.regressions:
        change = f"{row['rate_before']:.1%} of {row['before']}, {row['rate_after']:.1%} of {row['after']}"
        lines.append(f"REGRESSION {row['rule']}  {row['text']}: {change}")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; the exit code is that of the process."""
    options = _parser().parse_args(arguments)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("gattbench")
    spark = (builder.master(options.master) if options.master else builder).getOrCreate()
    try:
        if options.command == "check":
            table = check(
                captures(spark, *options.places, per_task=options.per_task), plugins=options.plugin, role=options.role,
                waivers=options.waivers, strict=options.strict, keys=options.keys, firmware=options.firmware,
                timeout=options.timeout,
            )  # fmt: skip
            write(table, options.out, mode=options.mode)
            return 0
        report = fleet_report(spark.read.parquet(options.table), top=options.top)
        if options.html:
            report.to_html(options.html, link=options.link)
        if options.json:
            report.to_json(options.json)
        print(_summary(report))
        return 0
    except (OSError, GattbenchError) as error:
        print(f"gattbench.spark: {error}", file=sys.stderr)
        return 2
    finally:
        spark.stop()


if __name__ == "__main__":
    sys.exit(main())
