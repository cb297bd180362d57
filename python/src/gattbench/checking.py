"""What rules say of a capture, and what is in it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from os import fspath
from typing import Any

from ._run import Path, key_options, options, run_json


@dataclass(frozen=True)
class Result:
    """What became of one rule for one device and connection."""

    rule: str
    verdict: str
    """`pass`, `fail`, `warning`, `waived`, `inconclusive` or `not_applicable`."""
    text: str
    device: str | None
    connection: int | None
    data: dict[str, Any] = field(repr=False, compare=False)
    """The whole result as `gattbench check --json` prints it: source, findings with their frames, …"""


@dataclass(frozen=True)
class Report:
    """The outcome of `check`."""

    summary: dict[str, int]
    """How many results have each verdict."""
    results: list[Result] = field(repr=False)
    data: dict[str, Any] = field(repr=False, compare=False)
    """The whole report as `gattbench check --json` prints it."""
    strict: bool = False
    """Whether warnings count as failures."""

    @property
    def failures(self) -> list[Result]:
        """The results of broken rules; with `strict`, also the warnings."""
        failing = ("fail", "warning") if self.strict else ("fail",)
        return [result for result in self.results if result.verdict in failing]

    @property
    def omissions(self) -> list[str]:
        """Why required checks did not happen: of `require`, or of a plugin that checked nothing."""
        return [omission["text"] for omission in self.data.get("omissions", [])]

    @property
    def passed(self) -> bool:
        """Whether no rule was broken, at least one was checked, and all required checks happened, as exit code 0 says."""
        checked = sum(self.summary.get(verdict, 0) for verdict in ("pass", "warning", "waived"))
        return not self.failures and not self.omissions and checked > 0

    def __str__(self) -> str:
        lines = [f"FAIL {result.rule}  {result.text}" for result in self.failures] + self.omissions
        counts = ", ".join(f"{count} {verdict.replace('_', ' ')}" for verdict, count in self.summary.items() if count)
        return "\n".join([*lines, counts])


def check(
    path: Path,
    *,
    role: str | None = None,
    require: Iterable[str] = (),
    waivers: Path | None = None,
    strict: bool = False,
    oracle: bool = False,
    plugins: Iterable[Path] = (),
    gatt: Path | None = None,
    keys: Path | Iterable[Path] = (),
    timeout: float | None = None,
) -> Report:
    """Checks a capture against the rules of the specification and of the devices' profiles, in `timeout` seconds.

    `keys` is a file with keys of encrypted packets, or several.
    """
    arguments = ["check", "--json", *options("--plugin", plugins), *options("--require", require)]
    arguments += ["--role", role] if role else []
    arguments += ["--waivers", fspath(waivers)] if waivers is not None else []
    arguments += ["--gatt", fspath(gatt)] if gatt is not None else []
    arguments += key_options(keys)
    arguments += ["--strict"] if strict else []
    arguments += ["--oracle"] if oracle else []
    # 1 is that a rule is broken, 4 that none applied or a required check did not happen: all are in the report.
    data = run_json([*arguments, "--", fspath(path)], accepted=(0, 1, 4), timeout=timeout)
    results = [
        Result(row["rule"], row["verdict"], row["text"], row.get("device"), row.get("connection"), row)
        for row in data["results"]
    ]
    return Report(data["summary"], results, data, strict)


def stats(
    path: Path,
    *,
    plugins: Iterable[Path] = (),
    gatt: Path | None = None,
    keys: Path | Iterable[Path] = (),
    timeout: float | None = None,
) -> dict[str, Any]:
    """Devices, connections, attribute tables, operations and missing packets, as `gattbench stats --json` prints them."""
    arguments = ["stats", "--json", *options("--plugin", plugins)]
    arguments += ["--gatt", fspath(gatt)] if gatt is not None else []
    arguments += key_options(keys)
    result: dict[str, Any] = run_json([*arguments, "--", fspath(path)], timeout=timeout)
    return result
