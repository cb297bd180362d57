"""Runs the program to its end."""

import json
import subprocess
import warnings
from collections.abc import Iterable, Sequence
from os import PathLike, fspath
from typing import Any

from ._program import program

Path = str | PathLike[str]


class GattbenchError(Exception):
    """The program ended with an error; the message is the program's."""


class UsageError(GattbenchError, ValueError):
    """A field, filter or option is wrong."""


class RequestRefused(GattbenchError, ValueError):
    """The program could not do what was asked; the message says what it expected."""


class UnreadableCapture(GattbenchError, OSError):
    """A capture, plugin or table cannot be read."""


class TimedOut(GattbenchError, TimeoutError):
    """The program took longer than it was given."""


class CaptureWarning(UserWarning):
    """Something is wrong with a capture that could be read in part."""


class KeyFileWarning(UserWarning):
    """Other users may read a file of keys."""


def failure(code: int, text: str) -> GattbenchError:
    """The error for an exit code and what was written to standard error."""
    kind = {2: UsageError, 3: UnreadableCapture}.get(code, GattbenchError)
    ended = f"exit code {code}" if code >= 0 else f"signal {-code}"
    message = text.strip().removeprefix("gattbench: ") or f"the program ended with {ended}"
    return kind(message)


def warn(text: str) -> None:
    """Warns of what the program wrote to standard error beside its results."""
    for line in text.splitlines():
        kind = KeyFileWarning if ": other users may read its keys" in line else CaptureWarning
        warnings.warn(line.removeprefix("gattbench: "), kind, stacklevel=4)


def run(arguments: Sequence[str], accepted: Iterable[int] = (0,), timeout: float | None = None) -> str:
    """Runs the program and returns its standard output; raises unless it ends with an accepted exit code in time."""
    try:
        done = subprocess.run(
            [program(), *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout
        )
    except subprocess.TimeoutExpired:
        raise TimedOut(f"the program took over {timeout:g} s") from None
    if done.returncode not in accepted:
        raise failure(done.returncode, done.stderr)
    warn(done.stderr)
    return done.stdout


def run_json(arguments: Sequence[str], accepted: Iterable[int] = (0,), timeout: float | None = None) -> Any:
    """The same for output that is JSON."""
    return json.loads(run(arguments, accepted, timeout))


def options(name: str, values: Iterable[Path]) -> list[str]:
    """An option for each value: `--plugin a --plugin b`."""
    return [part for value in values for part in (name, fspath(value))]


def key_options(keys: Path | Iterable[Path]) -> list[str]:
    """`--keys` for each file of keys; the keys themselves never are arguments, which lists of processes show."""
    return options("--keys", [keys] if isinstance(keys, (str, PathLike)) else keys)
