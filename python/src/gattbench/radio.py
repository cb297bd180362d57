"""A virtual radio, whose controllers any host stack can use."""

import subprocess
import threading
from types import TracebackType

from ._program import program
from ._run import GattbenchError


class Radio:
    """`gattbench radio`: virtual controllers within range of each other, each at a free port of this machine."""

    def __init__(self, controllers: int = 2, *, immediate: bool = False, options: tuple[str, ...] = ()):
        """Starts it; `immediate` exchanges packets at once instead of at connection events."""
        arguments = [program(), "radio", *["--hci", "tcp-server:_:0"] * controllers, *options]
        arguments += ["--immediate"] if immediate else []
        self._process = subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
        )
        self._guard = _guard(self._process.pid)
        self.specs: list[str] = []
        """The controllers, as Bumble and gattbench write transports."""
        self._next = 0
        try:
            self._start(controllers)
        except BaseException:
            self.close()
            raise

    def _start(self, controllers: int) -> None:
        """Waits until hosts can attach."""
        assert self._process.stdout is not None and self._process.stderr is not None
        errors = self._process.stderr
        lines: list[str] = []
        while len(self.specs) < controllers and (line := errors.readline()):
            lines.append(line)
            if "a host can attach: tcp-server:_:" in line:
                self.specs.append(f"tcp-client:127.0.0.1:{line.rsplit(':', 1)[1].strip()}")
        if self._process.stdout.readline() != "ready\n":
            raise GattbenchError("".join(lines).strip() or "the radio did not start")
        # What it says from now on is of interest to nobody, but must not fill the pipe.
        threading.Thread(target=errors.read, daemon=True).start()

    def take(self) -> str:
        """The next controller that was not taken before."""
        if self._next >= len(self.specs):
            raise IndexError(f"all {len(self.specs)} controllers of the radio are taken")
        self._next += 1
        return self.specs[self._next - 1]

    def close(self) -> None:
        """Ends it."""
        # The guard first: once the radio is waited for, its number may be that of another process.
        self._guard.kill()
        self._guard.wait()
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait()
        for stream in (self._process.stdout, self._guard.stdin):
            if stream is not None:
                stream.close()

    def __enter__(self) -> "Radio":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _guard(process: int) -> "subprocess.Popen[bytes]":
    """Ends a process when this one has ended, by whatever signal: its standard input ends then."""
    return subprocess.Popen(
        ["/bin/sh", "-c", 'read -r _; kill "$0"', str(process)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
