"""What differs between two captures."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from os import fspath
from typing import Any

from ._run import Path, key_options, options, run_json


@dataclass(frozen=True)
class Difference:
    """A difference between two connections that correspond."""

    connections: tuple[int, int]
    """Their numbers in the first and in the second capture."""
    kind: str
    """`value`, `outcome`, `only_a`, `only_b`, `order`, `duration`, …"""
    subject: str
    """The procedure, or what else differs."""
    a: tuple[int, int] | None
    """First and last frame in the first capture; `None` where it has nothing of it."""
    b: tuple[int, int] | None
    data: dict[str, Any] = field(repr=False, compare=False)
    """The whole difference as `gattbench diff --json` prints it: its fields with both texts, …"""


@dataclass(frozen=True)
class Comparison:
    """The outcome of `diff`."""

    differs: bool
    """Whether the captures differ, as exit code 1 says; also if only one has a connection."""
    differences: list[Difference] = field(repr=False)
    data: dict[str, Any] = field(repr=False, compare=False)
    """The whole report as `gattbench diff --json` prints it."""


def diff(
    a: Path,
    b: Path,
    *,
    tolerance: float | str | None = None,
    pairs: Iterable[tuple[int, int]] = (),
    plugins: Iterable[Path] = (),
    gatt: Path | None = None,
    keys: Path | Iterable[Path] = (),
    timeout: float | None = None,
) -> Comparison:
    """Compares two captures, connection by connection and procedure by procedure.

    `tolerance` is the part by which durations may differ, as 0.2 or `"20%"`; `pairs` are numbers of connections that are
    compared with each other, `(1, 2)`, instead of those of one device; `keys` is a file with keys, or several.
    """
    arguments = ["diff", "--json", *options("--plugin", plugins)]
    arguments += ["--tolerance", str(tolerance)] if tolerance is not None else []
    arguments += options("--pair", [f"{one}:{other}" for one, other in pairs])
    arguments += ["--gatt", fspath(gatt)] if gatt is not None else []
    arguments += key_options(keys)
    # 1 is that they differ, 4 that nothing could be compared: both are in the report.
    data = run_json([*arguments, "--", fspath(a), fspath(b)], accepted=(0, 1, 4), timeout=timeout)
    found = [
        Difference(
            (pair["a"]["connection"], pair["b"]["connection"]), row["kind"], row["subject"], _frames(row, "a"),
            _frames(row, "b"), row,
        )
        for pair in data["connections"]
        for row in pair["differences"]
    ]  # fmt: skip
    return Comparison(data["differs"], found, data)


def _frames(row: dict[str, Any], side: str) -> tuple[int, int] | None:
    frames = row.get(side)
    return None if frames is None else (frames[0], frames[1])
