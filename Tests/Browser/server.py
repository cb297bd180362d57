"""A server of the tests."""

import os
import re
import secrets
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "Sources/Web/Pages"
CAPTURES = ROOT / "captures"
PROGRAM = os.environ.get("GATTBENCH_WEB", str(ROOT / ".build/debug/gattbench-full"))


class Server:
    """A running server; `address` lets a browser in."""

    def __init__(self, *arguments: object, port: int | None = None, token: str | None = None) -> None:
        self.arguments = [str(argument) for argument in arguments]
        self.port = port or free_port()
        self.token = token or secrets.token_hex(24)
        self.start()

    def start(self) -> None:
        """Starts it, or starts it again at the same port with the same token."""
        command = [PROGRAM, "web", "--no-open", "--port", str(self.port), "--pages", str(PAGES), *self.arguments]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "GATTBENCH_WEB_TOKEN": self.token})
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, f"{' '.join(command)} printed no address but {line!r}"
        self.address = found.group()
        self.base = self.address.split("?")[0]

    def get(self, path: str) -> bytes:
        """The answer to a request outside of the browser."""
        token = self.address.split("token=")[1]
        request = urllib.request.Request(self.base + path.lstrip("/"), headers={"X-Gattbench-Token": token})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()

    def kill(self) -> None:
        """Ends it at once, without a word to the pages."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Ends it as Ctrl-C does; gives its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.kill()
            raise


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def eventually(condition, message: str, seconds: float = 30):
    """Waits for a condition and gives its value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, message
        time.sleep(0.05)
