"""A twin that a test controls, and bleak as the client under test: bleak_twin.py SPEC.

The twin is on the controller SPEC, by the Python package; bluetoothd has another one. Ends with status 0 when all went as it
should, and says what did not.
"""

import asyncio
import sys
import time
from pathlib import Path

from bleak import BleakClient
from bleak.exc import BleakError
from bluez import expect, find
from gattbench import aio

THERMOSTAT = Path(__file__).parents[2] / "python" / "tests" / "thermostat.yaml"
STATUS = "54484552-4d4f-0000-8000-000000000001"


async def main():
    async with aio.twin(THERMOSTAT, transport=sys.argv[1], startup=100) as twin:
        async with BleakClient(await find(twin.name), timeout=40) as client:
            await twin.set("status.level", 42)
            value = await client.read_gatt_char(STATUS)
            expect(value == bytes([0xD7, 0, 42]), "bleak reads what a test has set")
            values = asyncio.Queue()
            await client.start_notify(STATUS, lambda _, value: values.put_nowait(bytes(value)))
            await twin.expect("subscribed", within=20)
            await twin.notify("status", {"temperature": 30, "level": 7})
            expect(await asyncio.wait_for(values.get(), 20) == bytes([0x2C, 1, 7]), "bleak gets what a test notifies")
            await twin.error("status", "insufficient_resources")
            try:
                await client.read_gatt_char(STATUS)
                error = None
            except BleakError as caught:
                error = caught
            expect(error is not None, f"an ATT error is one of bleak ({error})")
            await twin.delay("2 s")
            began = time.monotonic()
            await client.read_gatt_char(STATUS)
            expect(time.monotonic() - began >= 2, "a delay makes bleak wait")
            await twin.delay("0 s")
            await twin.disconnect()
            await twin.expect("disconnected", within=20)
        expect(twin.check(role="peripheral").passed, "the twin's traffic breaks no rule")


try:
    asyncio.run(asyncio.wait_for(main(), 400))
except BaseException as error:
    print(f"FAILED bleak meets a twin: {type(error).__name__}: {error}", flush=True)
    sys.exit(1)
