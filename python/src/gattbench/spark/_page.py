"""A fleet's report as a page of HTML."""

from collections.abc import Callable, Iterable
from html import escape
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from .report import FleetReport

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #1b1f24 }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.2rem }
table { border-collapse: collapse; width: 100% } th, td { padding: .25rem .6rem; text-align: left; vertical-align: top }
th { border-bottom: 2px solid #c8ccd1; font-weight: 600 } td { border-bottom: 1px solid #e6e8eb }
.number { text-align: right; font-variant-numeric: tabular-nums } .bad { color: #b3261e } .path { overflow-wrap: anywhere }
@media (prefers-color-scheme: dark) { body { background: #14171a; color: #dfe3e8 } a { color: #8ab4f8 }
  th { border-color: #454b52 } td { border-color: #2a2f35 } .bad { color: #f28b82 } }
"""

Cell = Callable[[Any], str]


def page(report: "FleetReport", link: str | None) -> str:
    """The page; `link` makes a capture's address of its `{path}`."""

    def path(value: Any) -> str:
        return f'<td class="path">{_anchor(value, link)}</td>' if value else "<td></td>"

    sections = [
        _section("Newest regressions", report.regressions, {
            "since": ("Since", _time), "plugin": ("Plugin", _plain), "rule": ("Rule", _plain), "text": ("Text", _plain),
            "before": ("Before", _plain), "rate_before": ("Passed", _percent), "after": ("After", _plain),
            "rate_after": ("Passed", _percent), "example": ("First capture", path),
        }),
        _section("Rules", report.rules, {
            "plugin": ("Plugin", _plain), "rule": ("Rule", _plain), "text": ("Text", _plain), "judged": ("Results", _number),
            "failed": ("Failed", _number), "warnings": ("Warnings", _number), "rate": ("Passed", _percent),
            "by_firmware": ("By firmware", _rates),
        }),
        _section("Firmware", report.firmware, {
            "plugin": ("Plugin", _plain), "firmware": ("Firmware", _plain), "captures": ("Captures", _number),
            "devices": ("Devices", _number), "broken": ("Broken", _number), "rate": ("Passed", _percent),
            "first_day": ("From", _plain), "last_day": ("To", _plain),
        }),
        _section("Devices that break rules", report.devices, {
            "plugin": ("Plugin", _plain), "device": ("Device", _plain), "firmware": ("Firmware", _plain),
            "captures": ("Captures", _number), "broken": ("Broken", _number), "rate": ("Passed", _percent),
            "last_day": ("Last day", _plain),
        }),
        _section("Worst captures", report.worst, {
            "path": ("Capture", path), "failures": ("Failures", _number), "rules": ("Rules", _list),
            "plugins": ("Plugins", _list), "firmware": ("Firmware", _list), "day": ("Day", _plain),
        }),
        _section("Damaged captures", report.damaged, {
            "path": ("Capture", path), "status": ("Status", _plain), "error": ("Problem", _plain), "day": ("Day", _plain),
        }),
    ]  # fmt: skip
    summary = report.summary
    statuses = ", ".join(f"{count:,} {name}" for name, count in summary["status"].items())
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Fleet report</title><style>{_STYLE}</style>'
        f"</head><body>\n<h1>Fleet report</h1>\n<p>{summary['captures']:,} captures ({escape(statuses)}) of "
        f"{summary['devices']:,} devices, {summary['first_day']} to {summary['last_day']}, {summary['frames']:,} frames. "
        f"{summary['broken']:,} captures break a rule.</p>\n{''.join(sections)}</body></html>\n"
    )


def _section(title: str, rows: Iterable[dict[str, Any]], columns: dict[str, tuple[str, Cell]]) -> str:
    body = [f"<tr>{''.join(cell(row[name]) for name, (_, cell) in columns.items())}</tr>\n" for row in rows]
    if not body:
        return f"<h2>{title}</h2>\n<p>None.</p>\n"
    head = "".join(f"<th>{heading}</th>" for heading, _ in columns.values())
    return f"<h2>{title}</h2>\n<table><thead><tr>{head}</tr></thead><tbody>\n{''.join(body)}</tbody></table>\n"


def _anchor(path: str, link: str | None) -> str:
    name = escape(path)
    if link is not None:
        return f'<a href="{escape(link.replace("{path}", quote(path)))}">{name}</a>'
    if path.startswith("/"):
        return f'<a href="{escape(PurePosixPath(path).as_uri())}">{name}</a>'
    # Spark's addresses, as s3a://…, are none that a browser opens.
    return name


def _plain(value: Any) -> str:
    return f"<td>{'' if value is None else escape(str(value))}</td>"


def _time(value: Any) -> str:
    return f"<td>{value:%Y-%m-%d %H:%M}</td>" if value else "<td></td>"


def _number(value: Any) -> str:
    return f'<td class="number">{value:,}</td>'


def _percentage(value: float) -> str:
    # 99.97 % is not all.
    return "100 %" if value == 1 else f"{min(value * 100, 99.9):.1f} %"


def _percent(value: Any) -> str:
    return f'<td class="number{" bad" if value < 1 else ""}">{_percentage(value)}</td>'


def _list(value: Any) -> str:
    return f"<td>{escape(', '.join(value))}</td>"


def _rates(value: Any) -> str:
    return f"<td>{'<br>'.join(f'{escape(name)}: {_percentage(rate)}' for name, rate in value.items())}</td>"
