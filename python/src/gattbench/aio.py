"""Twins for code that awaits."""

import asyncio
import os
from types import TracebackType
from typing import Any

from . import _requests
from ._control import Request
from ._requests import Amount
from .twin import _OPTIONS, Emulation, Event, initial, result


class AsyncTwin(Emulation):
    """`Twin` with methods that are awaited: `async with gattbench.aio.twin("aquavate") as puck: await puck.do("sip", ml=50)`.

    Several requests may be under way at a time.
    """

    async def request(self, request: Request) -> dict[str, Any]:
        """Sends any request and returns its reply."""
        return result(request, await asyncio.wrap_future(self._send(request)))

    async def do(self, name: str, amount: Amount | None = None, /, **units: float) -> None:
        """Lets something happen to the device."""
        await self.request(_requests.do(name, amount, units))

    async def task(self, name: str, amount: Amount | None = None, /, **units: float) -> None:
        """Lets the plugin's client do something, on the transport `radio:`."""
        await self.request(_requests.task(name, amount, units))

    async def fault(self, kind: str, *, on: str | None = None, count: int = 1, **more: Any) -> None:
        """Gives the device a fault."""
        await self.request(_requests.fault(kind, on, count, more))

    async def error(self, on: str | None = None, error: str | int = "unlikely_error", *, count: int = 1) -> None:
        """Refuses the next reads and writes with an ATT error."""
        await self.request(_requests.fault("refuse", on, count, {"error": error}))

    async def delay(self, by: Amount) -> None:
        """Sends everything late from now on, until `delay(0)`."""
        await self.request(_requests.fault("delay", None, 1, {"by": str(by)}))

    async def expect(self, event: str, *, within: Amount = 5, where: str | None = None, **facts: Any) -> Event:
        """Waits for an event that has come since the last action, or comes."""
        return Event.of((await self.request(_requests.expect(event, within, where, facts)))["event"])

    async def never(self, event: str, *, within: Amount = 5, where: str | None = None, **facts: Any) -> None:
        """Fails if an event comes."""
        await self.request(_requests.expect(event, within, where, facts, key="never"))

    async def set(self, target: str, value: Any) -> None:
        """Sets a characteristic, or one field of it."""
        await self.request(_requests.change("set", target, value))

    async def notify(self, target: str, value: Any = None) -> None:
        """The same, and sends the value to its subscribers."""
        await self.request(_requests.change("notify", target, value))

    async def disconnect(self) -> None:
        """Disconnects all clients."""
        await self.do("disconnect")

    async def drop_link(self) -> None:
        """Loses all connections without a disconnection."""
        await self.do("drop_link")

    async def advance(self, span: Amount) -> None:
        """Lets time pass."""
        await self.request({"advance": str(span)})

    async def state(self) -> dict[str, Any]:
        """Time, connections, the values of the characteristics, and what the device keeps without power."""
        state: dict[str, Any] = (await self.request({"get": "state"}))["state"]
        return state


class twin:
    """`gattbench.twin` for `async with`."""

    def __init__(self, plugin: str | os.PathLike[str], **settings: Any):
        self._plugin = plugin
        self._settings = settings

    async def __aenter__(self) -> AsyncTwin:
        own = {name: value for name, value in self._settings.items() if name in _OPTIONS}
        starting = asyncio.ensure_future(asyncio.to_thread(AsyncTwin, self._plugin, **own))
        try:
            self._device = await asyncio.shield(starting)
        except asyncio.CancelledError:
            # A thread cannot be cancelled: the device that it starts is closed.
            await asyncio.wait([starting])
            if starting.exception() is None:
                await asyncio.to_thread(starting.result().close)
            raise
        try:
            stimuli = (await self._device.request({"get": "stimuli"}))["stimuli"]
            for request in initial(stimuli, self._settings):
                await self._device.request(request)
        except BaseException:
            await asyncio.to_thread(self._device.close)
            raise
        return self._device

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self._device.close)
