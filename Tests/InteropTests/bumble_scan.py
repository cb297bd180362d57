"""Bumble scans: bumble_scan.py TRANSPORT ADDRESS COUNT

Prints the first COUNT different advertisements of ADDRESS, a line each: "advertised CONNECTABLE HEX".
"""

import asyncio
import sys

from bumble import hci
from bumble.device import Device
from bumble.transport import open_transport

from bumble_ends import run

spec, address, count = sys.argv[1], sys.argv[2], int(sys.argv[3])


async def main():
    transport = await open_transport(spec)
    device = Device.with_hci("Bumble", hci.Address("F0:00:00:00:00:02"), transport.source, transport.sink)
    await device.power_on()
    seen = []
    done = asyncio.get_running_loop().create_future()

    def heard(advertisement):
        data = bytes(advertisement.data)
        if str(advertisement.address).split("/")[0].lower() != address or data in seen or len(seen) == count:
            return
        seen.append(data)
        print("advertised", advertisement.is_connectable, data.hex(), flush=True)
        if len(seen) == count and not done.done():
            done.set_result(None)

    device.on("advertisement", heard)
    await device.start_scanning(active=False, filter_duplicates=False)
    await asyncio.wait_for(done, 40)
    await device.stop_scanning()


run(main(), 60)
