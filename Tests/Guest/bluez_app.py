"""A puck's app on BlueZ, by bleak: bluez_app.py ADAPTER TASKS STORED.

Reads tasks from the named pipe TASKS, a line each, as `test client --hands` has them: connect, sync, disconnect. Writes the
drinks that it has stored to the CSV file STORED, and does not acknowledge a chunk before. What goes wrong ends the task, and
the next one begins with a new connection. Runs until the pipe says "quit".
"""

import asyncio
import csv
import struct
import sys
import time

from bleak import BleakClient, BleakScanner

BASE = "6f75616b-7661-7465-2d00-0000000000%02x"
SYNC, DRINKS, COMMAND = BASE % 3, BASE % 4, BASE % 5
START, ACK, SET_TIME = 1, 2, 0x10
# Records that fit into a notification at the puck's MTU of 247, which BlueZ takes; bleak does not know it.
CHUNK = 17

adapter, tasks, stored = sys.argv[1:]


class App:
    def __init__(self):
        self.client = None
        self.drinks = {}
        self.chunks = asyncio.Queue()
        self.store()

    def store(self):
        with open(stored, "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["record_id", "timestamp", "amount"])
            table.writerows((number, when, amount) for (number, when), amount in self.drinks.items())

    async def connect(self):
        if self.client is not None and self.client.is_connected:
            return
        await self.disconnect()
        device = None
        while device is None:
            device = await BleakScanner.find_device_by_filter(
                lambda _, data: (data.local_name or "").startswith("Aquavate"), timeout=5, bluez={"adapter": adapter}
            )
        self.client = BleakClient(device, timeout=20, bluez={"adapter": adapter})
        await self.client.connect()
        self.chunks = chunks = asyncio.Queue()
        await self.client.write_gatt_char(COMMAND, struct.pack("<BI", SET_TIME, int(time.time())), response=True)
        await self.client.start_notify(DRINKS, lambda _, value: chunks.put_nowait(bytes(value)))

    async def sync(self):
        await self.connect()
        waiting = struct.unpack("<HHBBH", await self.client.read_gatt_char(SYNC))[1]
        if waiting == 0:
            return
        while not self.chunks.empty():
            self.chunks.get_nowait()
        await self.client.write_gatt_char(SYNC, struct.pack("<HHBBH", 0, waiting, START, 0, CHUNK), response=True)
        index, total = 0, 1
        while index < total:
            chunk = await asyncio.wait_for(self.chunks.get(), 10)
            number, total, count, _ = struct.unpack_from("<HHBB", chunk)
            # After a link was lost, BlueZ may tell each value twice.
            if number < index:
                continue
            if number != index or total != -(-waiting // CHUNK) or len(chunk) != 6 + 14 * count:
                raise ValueError(f"chunk {index}: {chunk.hex()}")
            for row in range(count):
                drink, when, amount, *_ = struct.unpack_from("<IIhhBB", chunk, 6 + 14 * row)
                self.drinks[drink, when] = amount
            self.store()
            await self.client.write_gatt_char(SYNC, struct.pack("<HHBBH", 0, 0, ACK, 0, 0), response=True)
            index += 1

    async def disconnect(self):
        client, self.client = self.client, None
        if client is not None:
            await client.disconnect()

    async def run(self, task):
        print(task, flush=True)
        try:
            async with asyncio.timeout(60):
                await getattr(self, task)()
        except Exception as error:
            print(f"{task}: {type(error).__name__}: {error}", flush=True)
            await self.disconnect()


async def main():
    app = App()
    loop = asyncio.get_running_loop()
    # Open for writing as well: the pipe does not end when a writer does.
    with open(tasks, "r+b", buffering=0) as pipe:
        while True:
            task = (await loop.run_in_executor(None, pipe.readline)).decode().strip()
            if task == "quit":
                return await app.disconnect()
            await app.run(task)


asyncio.run(main())
