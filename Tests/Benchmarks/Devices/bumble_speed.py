"""Two Bumble devices in one process: how fast they connect, read and notify, as a line of JSON."""

import asyncio
import json
import time

from bumble.controller import Controller
from bumble.core import UUID
from bumble.device import Device, Peer
from bumble.gatt import Characteristic, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport.common import AsyncPipeSink

SERVICE = UUID("6f756b61-7661-7465-2d00-000000000000")
STATE = UUID("6f756b61-7661-7465-2d00-000000000001")
READS, NOTIFICATIONS = 2000, 4000


def make(link, name, address):
    controller = Controller(name, link=link)
    host = Host(controller, AsyncPipeSink(controller))
    return Device(host=host, name=name, address=Address(address))


async def main():
    link = LocalLink()
    peripheral, central = make(link, "puck", "F0:00:00:00:00:01"), make(link, "app", "F0:00:00:00:00:02")
    state = Characteristic(
        STATE,
        Characteristic.Properties.READ | Characteristic.Properties.NOTIFY,
        Characteristic.READABLE,
        bytes(14),
    )
    peripheral.add_service(Service(SERVICE, [state]))
    await peripheral.power_on()
    await central.power_on()
    await peripheral.start_advertising()
    start = time.perf_counter()
    connection = await central.connect(peripheral.random_address)
    peer = Peer(connection)
    await peer.discover_services()
    await peer.discover_characteristics()
    connecting = time.perf_counter() - start
    remote = peer.get_characteristics_by_uuid(STATE)[0]
    start = time.perf_counter()
    for _ in range(READS):
        await remote.read_value()
    reads = READS / (time.perf_counter() - start)
    done = asyncio.Event()
    count = 0

    def notified(value):
        nonlocal count
        count += 1
        if count == NOTIFICATIONS:
            done.set()

    await remote.subscribe(notified)
    start = time.perf_counter()
    for _ in range(NOTIFICATIONS):
        await peripheral.notify_subscribers(state, bytes(14))
    await asyncio.wait_for(done.wait(), 60)
    notifications = NOTIFICATIONS / (time.perf_counter() - start)
    print(json.dumps({"connecting": connecting, "reads": reads, "notifications": notifications}))


asyncio.run(main())
