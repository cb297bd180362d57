"""Two Bumble hosts that use enhanced ATT bearers: bumble_eatt.py PERIPHERAL CENTRAL.

PERIPHERAL and CENTRAL are transports as Bumble writes them. Ends with status 0 when all went as it should, and says what did
not.
"""

import asyncio
import os
import sys

from bumble import hci, l2cap
from bumble.att import EATT_PSM
from bumble.device import Device
from bumble.gatt_client import Client
from bumble.pairing import PairingDelegate
from bumble.transport import open_transport

from bumble_ends import COUNTER, NAME, SERVICE, VALUE, advertise, config, count, expect, find, power_on, run, start_peripheral

# Long SDUs take several K-frames. Out of credits, Bumble 0.0.236 puts several PDUs into one SDU.
BEARER = l2cap.LeCreditBasedChannelSpec(psm=EATT_PSM, mtu=247, mps=64, max_credits=1000)


async def make_device(spec, name, address):
    transport = await open_transport(spec)
    device = Device.with_hci(name, hci.Address(address), transport.source, transport.sink)
    device.pairing_config_factory = lambda connection: config(
        PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT), "secure-connections"
    )
    return device


async def main():
    peripheral = await make_device(sys.argv[1], NAME, "F0:00:00:00:00:01")
    data = await start_peripheral(peripheral)
    peripheral.gatt_server.register_eatt(BEARER)
    await advertise(peripheral, data)
    central = await make_device(sys.argv[2], "central", "F0:00:00:00:00:02")
    await power_on(central)
    connection = await asyncio.wait_for(central.connect((await find(central)).address), 20)
    await asyncio.wait_for(connection.pair(), 20)
    first, second = await Client.connect_eatt(connection, BEARER, 2)
    expect(first.bearer.source_cid != second.bearer.source_cid, "two bearers are open")
    characteristics = {}
    for client in (first, second):
        services = await client.discover_service(SERVICE)
        found = await client.discover_characteristics([], services[0])
        characteristics[client] = {one.uuid: one for one in found}
    value = characteristics[first][VALUE]
    other = characteristics[second][VALUE]
    long = os.urandom(200)
    await first.write_value(value, long, with_response=True)
    # Neither waits for the response to the other.
    values = await asyncio.gather(first.read_value(value), second.read_value(other))
    expect(values == [long, long], "200 bytes are written, and read on both bearers at the same time")
    await count(lambda notified: second.subscribe(characteristics[second][COUNTER], notified))
    await connection.disconnect()
    await asyncio.sleep(0.3)


run(main(), 90)
