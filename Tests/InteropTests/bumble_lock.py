"""A lock on Bumble whose code needs encryption: bumble_lock.py TRANSPORT HABIT.

TRANSPORT is written as Bumble writes it. HABIT is `none`, or what the lock does in the middle of things: `forgets` its bonds
when a connection ends, `leaves` while it is read for the first time in a connection, or
`refuses`, after it was read once, as if the connection were not encrypted any more. Runs until it is ended.
"""

import asyncio
import logging
import signal
import sys

from bumble import att, hci
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport

habit = sys.argv[2]
assert habit in ("none", "forgets", "leaves", "refuses"), habit


async def main():
    transport = await open_transport(sys.argv[1])
    device = Device.with_hci("Lock", hci.Address("F0:00:00:00:00:08"), transport.source, transport.sink)
    device.pairing_config_factory = lambda connection: PairingConfig(
        sc=True,
        mitm=False,
        bonding=True,
        delegate=PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT),
        identity_address_type=PairingConfig.AddressType.RANDOM,
    )
    reads = 0

    def read(connection):
        nonlocal reads
        reads += 1
        if habit == "leaves" and reads == 1:
            loop = asyncio.get_running_loop()
            reason = hci.HCI_ErrorCode.REMOTE_USER_TERMINATED_CONNECTION_ERROR
            loop.call_soon(lambda: asyncio.ensure_future(connection.disconnect(reason)))
        if habit == "refuses" and reads > 1:
            raise att.ATT_Error(att.ATT_INSUFFICIENT_ENCRYPTION_ERROR)
        return b"\7\0"

    code = Characteristic(
        "6F75616B-7661-7465-2D00-000000000078",
        Characteristic.Properties.READ,
        Characteristic.READABLE | Characteristic.READ_REQUIRES_ENCRYPTION,
        CharacteristicValue(read=read),
    )
    device.add_service(Service("6F75616B-7661-7465-2D00-000000000077", [code]))

    def met(connection):
        def parted(reason):
            nonlocal reads
            reads = 0
            if habit == "forgets":
                device.keystore = MemoryKeyStore()

        connection.on("disconnection", parted)

    device.on("connection", met)
    await device.power_on()
    device.keystore = MemoryKeyStore()
    device.advertising_data = bytes(
        AdvertisingData([(AdvertisingData.FLAGS, b"\x06"), (AdvertisingData.COMPLETE_LOCAL_NAME, b"Lock")])
    )
    await device.start_advertising(auto_restart=True)
    await asyncio.get_running_loop().create_future()


# A test runner may start it with signals blocked, and ends it by one.
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
# What it logs of errors that a test makes on purpose would fill the pipe that nobody reads.
logging.disable()
asyncio.run(main())
