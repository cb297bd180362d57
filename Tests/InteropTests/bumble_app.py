"""An app of the Aquavate puck, played by Bumble: bumble_app.py TRANSPORT [FAULT].

TRANSPORT is the controller to use, as Bumble writes it. FAULT is one of FAULTS, put into an app that is right without it.
A line "connect" or "sync" on standard input is what its user wants; "stored PATH" writes the drinks that it has stored as
CSV. Goes on until an empty line, or until standard input ends.
"""

import asyncio
import struct
import sys
import time

from bumble import hci
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, Peer
from bumble.transport import open_transport

spec, fault = sys.argv[1], (sys.argv[2:] or [""])[0]

FAULTS = [
    "time",  # the time is not set
    "local",  # the time is set in local time
    "command",  # writes are commands
    "acknowledge",  # chunks are not acknowledged
    "twice",  # chunks are acknowledged twice
    "count",  # more records are asked for than a puck holds
    "chunk",  # chunks are asked for that do not fit
    "subscribe",  # Drink Data is not subscribed to
    "query",  # a transfer is interrupted by a query
    "lost",  # the last record of a chunk is not stored
    "copied",  # a record is stored again
    "opcode",  # a command is sent that there is not
    "parallel",  # a request is sent before the response to the one before
]
assert not fault or fault in FAULTS, fault


def uuid(number):
    return UUID(f"6F75616B-7661-7465-2D00-{number:012x}")


CURRENT_STATE, SYNC_CONTROL, DRINK_DATA, COMMAND = uuid(1), uuid(3), uuid(4), uuid(5)
NOTIFIED = [CURRENT_STATE, DRINK_DATA, uuid(7), uuid(8), UUID("2A19")]
QUERY, START, ACKNOWLEDGE = 0, 1, 2


class App:
    def __init__(self, device):
        self.device = device
        self.drinks = []
        self.chunks = asyncio.Queue()
        self.peer = None

    async def connect(self):
        found = asyncio.get_running_loop().create_future()

        def heard(advertisement):
            name = advertisement.data.get(AdvertisingData.COMPLETE_LOCAL_NAME) or ""
            if name.startswith("Aquavate-") and not found.done():
                found.set_result(advertisement.address)

        # The link to a puck that was switched off is lost after a while.
        while self.device.connections:
            await asyncio.sleep(0.1)
        self.device.on("advertisement", heard)
        await self.device.start_scanning(active=True)
        address = await asyncio.wait_for(found, 20)
        await self.device.stop_scanning()
        self.device.remove_listener("advertisement", heard)
        connection = await asyncio.wait_for(self.device.connect(address), 20)
        self.peer = Peer(connection)
        await self.peer.request_mtu(247)
        await self.peer.discover_all()
        self.chunks = asyncio.Queue()
        for one in NOTIFIED:
            if fault == "subscribe" and one == DRINK_DATA:
                continue
            await self.characteristic(one).subscribe(self.chunks.put_nowait if one == DRINK_DATA else lambda _: None)
        seconds = int(time.time()) + (3600 if fault == "local" else 0)
        if fault != "time":
            await self.write(COMMAND, struct.pack("<BI", 0x10, seconds))
        if fault == "parallel":
            read = struct.pack("<BH", 0x0A, self.characteristic(CURRENT_STATE).handle)
            for _ in range(2):
                self.peer.gatt_client.send_gatt_pdu(read)
            # Bumble takes these responses for those to its own next request.
            await asyncio.sleep(0.5)
        if fault == "opcode":
            await self.write(COMMAND, b"\x7e\0\0\0")

    async def sync(self):
        await self.connect()
        count = struct.unpack("<H", (await self.characteristic(SYNC_CONTROL).read_value())[2:4])[0]
        if count > 0:
            await self.control(START, 601 if fault == "count" else count, 20 if fault == "chunk" else 17)
            await self.receive()
        await asyncio.sleep(1)
        await self.peer.connection.disconnect()

    async def receive(self):
        while True:
            chunk = await asyncio.wait_for(self.chunks.get(), 5)
            index, total, records = struct.unpack("<HHB", chunk[:5])
            drinks = [struct.unpack("<IIhhBB", chunk[at : at + 14]) for at in range(6, 6 + 14 * records, 14)]
            if fault == "lost":
                drinks.pop()
            self.drinks += drinks[:1] * (fault == "copied") + drinks
            if fault == "query" and index == 0:
                await self.control(QUERY)
            if fault != "acknowledge":
                await self.control(ACKNOWLEDGE)
            if fault == "twice":
                await self.control(ACKNOWLEDGE)
            if index + 1 == total:
                return

    async def control(self, command, count=0, size=0):
        await self.write(SYNC_CONTROL, struct.pack("<HHBBH", 0, count, command, 0, size))

    async def write(self, one, value):
        await self.characteristic(one).write_value(value, with_response=fault != "command")

    def characteristic(self, one):
        return next(c for service in self.peer.services for c in service.characteristics if c.uuid == one)

    def store(self, path):
        with open(path, "w") as file:
            print("record_id,timestamp,amount", file=file)
            for drink in self.drinks:
                print(*drink[:3], sep=",", file=file)


async def main():
    transport = await open_transport(spec)
    device = Device.with_hci("app", hci.Address("F0:00:00:00:00:03"), transport.source, transport.sink)
    await device.power_on()
    app = App(device)
    lines = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(lines)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    print("ready", flush=True)
    task = None
    while line := (await lines.readline()).decode().split():
        if line[0] == "stored":
            app.store(line[1])
            continue
        if task:
            task.cancel()
            # What is tested is what the puck sees of it.
            print(*await asyncio.gather(task, return_exceptions=True), flush=True)
        task = asyncio.ensure_future(app.connect() if line[0] == "connect" else app.sync())


asyncio.run(main())
