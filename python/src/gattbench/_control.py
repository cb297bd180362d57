"""The connection to a program that is controlled: `gattbench emulate --control -`."""

import itertools
import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from ._program import program
from ._run import RequestRefused, failure

Request = dict[str, Any]

LINE_LIMIT = 65_536
"""The bytes of the longest line that the program takes."""


class Connection:
    """Sends requests and takes replies and events, in a thread of its own."""

    def __init__(self, arguments: Sequence[str], startup: float):
        self.events: list[dict[str, Any]] = []
        """What has happened, as `gattbench emulate --json` prints it."""
        self.ready: dict[str, Any] = {}
        self._waiting: dict[int, Future[dict[str, Any]]] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        # Another lock, as a writer may wait until the thread that reads has taken replies.
        self._writing = threading.Lock()
        self._has_ended = False
        self._errors: list[str] = []
        self._is_ready: Future[None] = Future()
        self._process = subprocess.Popen(
            [program(), "emulate", *arguments, "--control", "-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        )  # fmt: skip
        self._threads = [threading.Thread(target=body, daemon=True) for body in (self._read, self._read_errors)]
        # The reader waits for the thread of errors when the program ends, which may be at once.
        for thread in reversed(self._threads):
            thread.start()
        try:
            self._is_ready.result(startup)
        except BaseException:
            self._process.kill()
            self.close()
            raise

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            if "ok" in message:
                with self._lock:
                    future = self._waiting.pop(message["id"], None)
                if future is not None and future.set_running_or_notify_cancel():
                    future.set_result(message)
                continue
            self.events.append(message)
            if message["event"] == "ready" and not self._is_ready.done():
                self.ready = message
                self._is_ready.set_result(None)
        code = self._process.wait()
        self._threads[1].join()
        error = failure(code, "".join(self._errors) or "the emulation has ended")
        with self._lock:
            self._has_ended = True
            waiting = list(self._waiting.values())
        for future in waiting:
            if future.set_running_or_notify_cancel():
                future.set_exception(error)
        if not self._is_ready.done():
            self._is_ready.set_exception(error)

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._errors.append(line)

    def send(self, request: Mapping[str, Any]) -> "Future[dict[str, Any]]":
        """Sends a request; the future gets the reply. An `id` of the request gives way to a number of this connection."""
        future: Future[dict[str, Any]] = Future()
        number = next(self._numbers)
        line = _line({**request, "id": number})
        with self._lock:
            if self._has_ended:
                future.set_exception(failure(0, "the emulation has ended"))
                return future
            self._waiting[number] = future
        assert self._process.stdin is not None
        try:
            with self._writing:
                self._process.stdin.write(line)
                self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass  # the thread that reads tells why
        return future

    def close(self) -> None:
        """Ends the emulation."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
        for thread in self._threads:
            thread.join(10)
        self._process.stdout.close()


def _line(request: Request) -> str:
    """A request as the program takes it; raises where it would take it for something else, and send no reply."""
    line = json.dumps(request, ensure_ascii=False)
    try:
        size = len(line.encode())
    except UnicodeEncodeError as error:
        raise RequestRefused(f"a request is text in UTF-8: {error}") from None
    if size > LINE_LIMIT:
        raise RequestRefused(f"a request has at most {LINE_LIMIT:,} bytes, this one has {size:,}")
    return line + "\n"
