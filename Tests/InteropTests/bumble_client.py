"""Bumble's central looks at a device and uses it: bumble_client.py TRANSPORT NAME STEP…

TRANSPORT is the controller to use, as Bumble writes it; NAME is what the device advertises. The steps are done in their
order; what comes of each is a line:

    table              discovers everything: "characteristic SERVICE UUID PROPERTIES DESCRIPTORS" for each
    read:UUID          "read UUID HEX"
    write:UUID=HEX     "written UUID"
    refuse:UUID=HEX    writes, and expects an error: "refused UUID CODE"
    subscribe:UUID     "subscribed UUID"
    await:UUID         waits for a notification: "notified UUID HEX"
    reconnect          disconnects, finds the device again and connects: "connected"

Ends with status 0 when all was done, and says what was not.
"""

import asyncio
import os
import sys

from bumble import hci
from bumble.att import ATT_Error
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, Peer
from bumble.transport import open_transport

spec, name, *steps = sys.argv[1:]


def say(*words):
    print(*words, flush=True)


def full(uuid):
    """All 36 characters."""
    digits = uuid.to_bytes(force_128=True)[::-1].hex()
    return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])


class Client:
    def __init__(self, device):
        self.device = device
        self.peer = None
        self.told = {}

    async def connect(self):
        found = asyncio.get_running_loop().create_future()

        def heard(advertisement):
            if advertisement.data.get(AdvertisingData.COMPLETE_LOCAL_NAME) == name and not found.done():
                found.set_result(advertisement.address)

        self.device.on("advertisement", heard)
        await self.device.start_scanning(active=True)
        address = await asyncio.wait_for(found, 20)
        await self.device.stop_scanning()
        self.device.remove_listener("advertisement", heard)
        connection = await asyncio.wait_for(self.device.connect(address), 20)
        self.peer = Peer(connection)
        await self.peer.request_mtu(247)
        await self.peer.discover_all()
        say("connected")

    def characteristic(self, uuid):
        for service in self.peer.services:
            for characteristic in service.characteristics:
                if characteristic.uuid == UUID(uuid):
                    return characteristic
        raise AssertionError(f"there is no characteristic {uuid}")

    async def do(self, step):
        kind, _, rest = step.partition(":")
        uuid, _, value = rest.partition("=")
        if kind == "table":
            for service in self.peer.services:
                for one in service.characteristics:
                    descriptors = "+".join(full(descriptor.type) for descriptor in one.descriptors)
                    say("characteristic", full(service.uuid), full(one.uuid), int(one.properties), descriptors)
        elif kind == "read":
            say("read", uuid, (await self.characteristic(uuid).read_value()).hex())
        elif kind == "write":
            await self.characteristic(uuid).write_value(bytes.fromhex(value), with_response=True)
            say("written", uuid)
        elif kind == "refuse":
            try:
                await self.characteristic(uuid).write_value(bytes.fromhex(value), with_response=True)
                raise AssertionError(f"writing {value} to {uuid} was not refused")
            except ATT_Error as error:
                say("refused", uuid, int(error.error_code))
        elif kind == "subscribe":
            queue = self.told.setdefault(uuid, asyncio.Queue())
            await self.characteristic(uuid).subscribe(queue.put_nowait)
            say("subscribed", uuid)
        elif kind == "await":
            say("notified", uuid, (await asyncio.wait_for(self.told[uuid].get(), 40)).hex())
        elif kind == "reconnect":
            await self.peer.connection.disconnect()
            self.told = {}
            await self.connect()
        else:
            raise AssertionError(f"there is no step {kind}")


async def main():
    transport = await open_transport(spec)
    device = Device.with_hci("Bumble", hci.Address("F0:00:00:00:00:02"), transport.source, transport.sink)
    await device.power_on()
    client = Client(device)
    await client.connect()
    for step in steps:
        await client.do(step)
    await client.peer.connection.disconnect()
    await asyncio.sleep(0.2)


status = 0
try:
    asyncio.run(asyncio.wait_for(main(), 120))
except BaseException as error:
    say(f"FAILED: {type(error).__name__}: {error}")
    status = 1
os._exit(status)
