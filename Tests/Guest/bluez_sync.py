"""BlueZ as the central of a puck, by bleak: bluez_sync.py NAME RECORDS.

Finds the puck by its name, looks at its services, sets its clock, syncs RECORDS drinks in chunks as aquavate's shipped
dialect has it, runs a calibration's beginning and its cancellation, and comes back once. Ends with status 0 when all went as
it should, and says what did not.
"""

import asyncio
import struct
import sys
import time

from bleak import BleakClient
from bluez import expect, find

BASE = "6f75616b-7661-7465-2d00-0000000000%02x"
STATE, CONFIG, SYNC, DRINKS, COMMAND, SETTINGS, ACTIVITY, CALIBRATION = (BASE % number for number in range(1, 9))
BATTERY = "00002a19-0000-1000-8000-00805f9b34fb"
EXPECTED = {
    STATE: {"read", "notify"},
    CONFIG: {"read", "write"},
    SYNC: {"read", "write"},
    DRINKS: {"read", "notify"},
    COMMAND: {"write"},
    SETTINGS: {"read", "write"},
    ACTIVITY: {"read", "notify"},
    CALIBRATION: {"read", "notify"},
}
START, ACK = 1, 2
# Records that fit into a notification at the puck's MTU of 247, which BlueZ takes; bleak does not know it.
CHUNK = 17
SET_TIME, START_CALIBRATION, CANCEL_CALIBRATION = 0x10, 0x20, 0x21

name, records = sys.argv[1], int(sys.argv[2])


class Inbox:
    """What a characteristic notifies."""

    def __init__(self, client, characteristic):
        self.client, self.characteristic, self.values = client, characteristic, asyncio.Queue()

    async def __aenter__(self):
        await self.client.start_notify(self.characteristic, lambda _, value: self.values.put_nowait(bytes(value)))
        return self

    async def __aexit__(self, *_):
        await self.client.stop_notify(self.characteristic)

    async def next(self, seconds=60):
        return await asyncio.wait_for(self.values.get(), seconds)


async def sync(client):
    """All drinks that wait, in chunks that fit into a notification."""
    drinks = []
    async with Inbox(client, DRINKS) as inbox:
        waiting = struct.unpack("<HHBBH", await client.read_gatt_char(SYNC))[1]
        expect(waiting == records, f"{waiting} drinks wait")
        await client.write_gatt_char(SYNC, struct.pack("<HHBBH", 0, waiting, START, 0, CHUNK), response=True)
        total = 1
        index = 0
        while index < total:
            chunk = await inbox.next()
            number, total, count, _ = struct.unpack_from("<HHBB", chunk)
            if number != index or len(chunk) != 6 + 14 * count:
                raise AssertionError(f"chunk {index}: {chunk.hex()}")
            drinks += [struct.unpack_from("<IIhhBB", chunk, 6 + 14 * row) for row in range(count)]
            await client.write_gatt_char(SYNC, struct.pack("<HHBBH", 0, 0, ACK, 0, 0), response=True)
            index += 1
    expect(len(drinks) == records, f"{len(drinks)} drinks have come in {total} chunks")
    ids = [drink[0] for drink in drinks]
    expect(ids == list(range(ids[0], ids[0] + records)), "their ids follow each other")
    expect(all(drink[2] >= 30 for drink in drinks), "each is 30 ml at least")
    left = struct.unpack("<HHBBH", await client.read_gatt_char(SYNC))[1]
    expect(left == 0, "none waits any more")


async def calibrate(client):
    async with Inbox(client, CALIBRATION) as inbox:
        await client.write_gatt_char(COMMAND, bytes([START_CALIBRATION, 0, 0, 0]), response=True)
        states = [(await inbox.next())[0] for _ in range(3)]
        expect(states == [1, 2, 3], "a calibration begins and waits for the empty bottle")
        await client.write_gatt_char(COMMAND, bytes([CANCEL_CALIBRATION, 0, 0, 0]), response=True)
        state = (await inbox.next())[0]
        # A bottle that was put down meanwhile is measured first: 4, then 6, or 3 if it moved; then comes the 0.
        while state in (3, 4, 6):
            state = (await inbox.next())[0]
        expect(state == 0, "and is cancelled")


async def main():
    device = await find(name)
    async with BleakClient(device, timeout=120) as client:
        found = {one.uuid: set(one.properties) for service in client.services for one in service.characteristics}
        expect({uuid: found.get(uuid) for uuid in EXPECTED} == EXPECTED, "its characteristics are the profile's")
        await client.write_gatt_char(COMMAND, struct.pack("<BI", SET_TIME, int(time.time())), response=True)
        expect(len(await client.read_gatt_char(STATE)) == 14, "its state is read")
        expect((await client.read_gatt_char(BATTERY))[0] <= 100, "its battery level is read")
        await sync(client)
        await calibrate(client)
    async with BleakClient(device, timeout=120) as client:
        left = struct.unpack("<HHBBH", await client.read_gatt_char(SYNC))[1]
        expect(left == 0, "it lets itself be connected again, with nothing to sync")


try:
    asyncio.run(asyncio.wait_for(main(), 1100))
except BaseException as error:
    print(f"FAILED BlueZ syncs from the puck: {type(error).__name__}: {error}", flush=True)
    sys.exit(1)
