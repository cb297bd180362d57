"""Why something failed in a capture."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from os import fspath
from typing import Any

from ._run import CaptureWarning, Path, key_options, options, run_json


@dataclass(frozen=True)
class Considered:
    """A cause that was considered and dropped."""

    cause: str
    against: str
    """What speaks against it."""


@dataclass(frozen=True)
class Incident:
    """A failure with its cause."""

    connection: int | None
    """Number of the connection, from 1; `None` for what failed outside of one."""
    device: str | None
    """Name or address of the device, where the capture shows it."""
    what: str
    """What failed: `disconnected`, `pairing_failed`, `subscription_failed`, …"""
    cause: str | None
    """One of the causes that the program lists; `None` where the capture shows none."""
    confidence: str | None
    """`certain`, `likely` or `possible`; `None` without a cause."""
    frames: tuple[int, ...]
    """Numbers of the frames that show it."""
    text: str
    advice: str
    """What to do; empty without a cause."""
    considered: tuple[Considered, ...] = field(repr=False)
    data: dict[str, Any] = field(repr=False, compare=False)
    """The whole incident as `gattbench why --json` prints it."""

    def __str__(self) -> str:
        place = f"connection {self.connection}: " if self.connection is not None else ""
        cause = f"{self.cause} ({self.confidence})" if self.cause else "no cause found"
        return f"{place}{self.what.replace('_', ' ')}, {cause}: {self.text}"


def why(
    path: Path,
    *,
    connection: int | None = None,
    plugins: Iterable[Path] = (),
    gatt: Path | None = None,
    keys: Path | Iterable[Path] = (),
    timeout: float | None = None,
) -> list[Incident]:
    """One incident for each failure in a capture, with its cause; an empty list where nothing went wrong.

    `connection` is the number of the connection that is asked about, `keys` a file with keys of encrypted packets, or
    several. The program may take `timeout` seconds. Incidents that it found and did not list are a `CaptureWarning`.
    """
    arguments = ["why", "--json", *options("--plugin", plugins)]
    arguments += ["--connection", str(connection)] if connection is not None else []
    arguments += ["--gatt", fspath(gatt)] if gatt is not None else []
    arguments += key_options(keys)
    # 1 is that causes were found, 4 that something went wrong without one: both are in the incidents.
    data = run_json([*arguments, "--", fspath(path)], accepted=(0, 1, 4), timeout=timeout)
    if omitted := data.get("omitted", 0):
        warnings.warn(f"{fspath(path)}: {omitted} more incidents are not listed", CaptureWarning, stacklevel=2)
    return [incident(row) for row in data["incidents"]]


def incident(row: dict[str, Any]) -> Incident:
    """An incident of the program's JSON."""
    return Incident(
        row.get("connection"), row.get("device"), row["what"], row.get("cause"), row.get("confidence"),
        tuple(row["frames"]), row["text"], row.get("advice", ""),
        tuple(Considered(other["cause"], other["against"]) for other in row["considered"]), row,
    )  # fmt: skip
