"""Emulated devices that a test controls."""

import os
import tempfile
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from os import fspath
from pathlib import Path
from types import TracebackType
from typing import Any

from . import _requests, checking
from ._control import Connection, Request
from ._requests import Amount
from ._run import GattbenchError, RequestRefused
from .radio import Radio


class ExpectationFailed(AssertionError):
    """An event did not come, or came and must not; the message names the latest events."""


@dataclass(frozen=True)
class Event:
    """Something that happened to the device or the plugin's client."""

    name: str
    """As scenarios call it: `drink_stored`, `notify current_state`."""
    source: str
    """`device` or `client`."""
    time: str
    fields: dict[str, Any] = field(default_factory=dict)
    """The facts of the event, or the fields of the value."""
    data: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The event as `gattbench emulate --json` prints it."""

    @classmethod
    def of(cls, data: dict[str, Any]) -> "Event":
        """The event in an object of the program."""
        name = data["event"] + (f" {data['characteristic']}" if "characteristic" in data else "")
        return cls(name, data["source"], data["time"], data.get("fields", {}), data)


def result(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
    """The reply to a request; raises where it is a refusal."""
    if reply["ok"]:
        return reply
    if "expect" in request or "never" in request:
        if "occur" in reply["error"]:
            raise ExpectationFailed(reply["error"])
    raise RequestRefused(reply["error"])


class Emulation:
    """A device that runs, and what is known of it without asking."""

    def __init__(
        self,
        plugin: str | os.PathLike[str],
        *,
        transport: str | Radio | None = None,
        dialect: str | None = None,
        quirks: str | None = None,
        scenario: str | os.PathLike[str] | None = None,
        seed: int | None = None,
        speed: float | str = "virtual",
        record: str | os.PathLike[str] | None = None,
        startup: float = 20,
        options: Iterable[str] = (),
    ):
        self.radio: Radio | None = None
        """The radio that the device is on; nil for other transports."""
        self.plugin = fspath(plugin)
        self._own_radio: Radio | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        try:
            if transport is None:
                transport = self._own_radio = Radio()
            if isinstance(transport, Radio):
                self.radio = transport
                transport = transport.take()
            if record is None:
                self._folder = tempfile.TemporaryDirectory(prefix="gattbench-")
                record = Path(self._folder.name, "twin.btsnoop")
            self.capture = Path(record)
            """The HCI traffic of the device, complete at any time; without `record` it is gone after `close`."""
            arguments = [self.plugin, "--transport", transport, "--speed", str(speed), "--record", fspath(record)]
            given = {"dialect": dialect, "quirks": quirks, "scenario": scenario, "seed": seed}
            for name, value in given.items():
                if value is not None:
                    arguments += [f"--{name}", fspath(value) if isinstance(value, os.PathLike) else str(value)]
            self._connection = Connection([*arguments, *options], startup)
        except BaseException:
            self._release()
            raise
        self.name: str = self._connection.ready.get("name", "")
        """What the device advertises."""
        self.address: str = self._connection.ready["address"]

    @property
    def spec(self) -> str:
        """A controller of the radio for a client, as Bumble writes it. Each call takes another one."""
        if self.radio is None:
            raise GattbenchError("the device is not on a radio of this process: a client needs a controller of its own")
        return self.radio.take()

    @property
    def events(self) -> list[Event]:
        """What has happened so far."""
        return [Event.of(event) for event in list(self._connection.events)]

    def _send(self, request: Request) -> "Future[dict[str, Any]]":
        return self._connection.send(request)

    def check(self, **options: Any) -> checking.Report:
        """Checks the traffic so far: `gattbench.check` of the capture."""
        return checking.check(self.capture, **options)

    def close(self) -> None:
        """Ends the emulation."""
        self._connection.close()
        self._release()

    def _release(self) -> None:
        if self._own_radio is not None:
            self._own_radio.close()
        if self._folder is not None:
            self._folder.cleanup()


class Twin(Emulation):
    """An emulated device; `twin` makes one. Methods wait until the program has done what they ask."""

    def request(self, request: Request, timeout: float | None = None) -> dict[str, Any]:
        """Sends any request and returns its reply."""
        return result(request, self._send(request).result(timeout))

    def do(self, name: str, amount: Amount | None = None, /, **units: float) -> None:
        """Lets something happen to the device: `do("sip", ml=50)`, `do("sip", "50 ml")`, `do("double_tap")`."""
        self.request(_requests.do(name, amount, units))

    def task(self, name: str, amount: Amount | None = None, /, **units: float) -> None:
        """Lets the plugin's client do something, on the transport `radio:`."""
        self.request(_requests.task(name, amount, units))

    def fault(self, kind: str, *, on: str | None = None, count: int = 1, **more: Any) -> None:
        """Gives the device a fault: `fault("truncate", on="drink_data")`."""
        self.request(_requests.fault(kind, on, count, more))

    def error(self, on: str | None = None, error: str | int = "unlikely_error", *, count: int = 1) -> None:
        """Refuses the next reads and writes with an ATT error."""
        self.request(_requests.fault("refuse", on, count, {"error": error}))

    def delay(self, by: Amount) -> None:
        """Sends everything late from now on, until `delay(0)`."""
        self.request(_requests.fault("delay", None, 1, {"by": str(by)}))

    def expect(self, event: str, *, within: Amount = 5, where: str | None = None, **facts: Any) -> Event:
        """Waits for an event that has come since the last action, or comes: `expect("drink_stored", amount=50)`."""
        return Event.of(self.request(_requests.expect(event, within, where, facts))["event"])

    def never(self, event: str, *, within: Amount = 5, where: str | None = None, **facts: Any) -> None:
        """Fails if an event comes."""
        self.request(_requests.expect(event, within, where, facts, key="never"))

    def set(self, target: str, value: Any) -> None:
        """Sets a characteristic, or one field of it, as `status.level`, of a device that is nothing but its profile."""
        self.request(_requests.change("set", target, value))

    def notify(self, target: str, value: Any = None) -> None:
        """The same, and sends the value to its subscribers."""
        self.request(_requests.change("notify", target, value))

    def disconnect(self) -> None:
        """Disconnects all clients."""
        self.do("disconnect")

    def drop_link(self) -> None:
        """Loses all connections without a disconnection."""
        self.do("drop_link")

    def advance(self, span: Amount) -> None:
        """Lets time pass: `advance("8h")`. With speed `virtual` nobody waits for it."""
        self.request({"advance": str(span)})

    @property
    def state(self) -> dict[str, Any]:
        """Time, connections, the values of the characteristics, and what the device keeps without power."""
        state: dict[str, Any] = self.request({"get": "state"})["state"]
        return state

    @property
    def display(self) -> list[str] | None:
        """The device's display as lines of text; None for a device without one."""
        lines: list[str] | None = self.request({"get": "display"})["display"]
        return lines

    @property
    def stimuli(self) -> dict[str, list[dict[str, Any]]]:
        """What can happen to the device, and what the plugin's client can do."""
        stimuli: dict[str, list[dict[str, Any]]] = self.request({"get": "stimuli"})["stimuli"]
        return stimuli

    def __enter__(self) -> "Twin":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_OPTIONS = {
    "transport", "dialect", "quirks", "scenario", "seed", "speed", "record", "startup", "options",
}  # fmt: skip


def twin(plugin: str | os.PathLike[str], **settings: Any) -> Twin:
    """Starts an emulated device; use it in a `with` statement.

    Settings are those of `gattbench emulate`: `dialect`, `quirks`, `scenario`, `seed`, `speed`, `record`, and `transport`,
    a SPEC or a `Radio`; without it the device is on a radio of its own, and `spec` is a controller for its client. Other
    settings are stimuli that are done first: `twin("aquavate", water=400)`.
    """
    device = Twin(plugin, **{name: value for name, value in settings.items() if name in _OPTIONS})
    try:
        for request in initial(device.stimuli, settings):
            device.request(request)
    except BaseException:
        device.close()
        raise
    return device


def initial(stimuli: dict[str, list[dict[str, Any]]], settings: dict[str, Any]) -> list[Request]:
    """The requests for settings that are stimuli, with the units of their amounts."""
    units = {one["name"]: one.get("unit", "") for one in stimuli["device"]}
    requests = []
    for name, value in settings.items():
        if name in _OPTIONS:
            continue
        amount = None if value is True else value if isinstance(value, str) else f"{value} {units.get(name, '')}".strip()
        requests.append(_requests.do(name, amount, {}))
    return requests
