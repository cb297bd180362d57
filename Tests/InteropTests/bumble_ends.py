"""What the programs that play Bluetooth devices by Bumble have in common."""

import asyncio
import os

from bumble import hci
from bumble.core import AdvertisingData, UUID
from bumble.device import AdvertisingEventProperties, AdvertisingParameters, Device, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig

SERVICE = UUID("5a3b0001-0d5f-4b6e-9f43-3e6a4c1d7f10")
VALUE = UUID("5a3b0002-0d5f-4b6e-9f43-3e6a4c1d7f10")
COUNTER = UUID("5a3b0003-0d5f-4b6e-9f43-3e6a4c1d7f10")
SECRET = UUID("5a3b0004-0d5f-4b6e-9f43-3e6a4c1d7f10")
NAME = "radio test"
NOTIFICATIONS = 100


def config(delegate, pairing):
    """How a device pairs; `pairing` is one of the names on the command line."""
    return PairingConfig(
        sc="legacy" not in pairing,
        mitm="passkey" in pairing or "comparison" in pairing,
        bonding=True,
        delegate=delegate,
        identity_address_type=PairingConfig.AddressType.RANDOM,
    )


def expect(condition, text):
    if not condition:
        raise AssertionError(text)
    print("ok", text, flush=True)


def run(main, limit):
    """Ends the program: with status 0 if the coroutine returns within so many seconds, else with 1, saying why."""
    status = 0
    try:
        asyncio.run(asyncio.wait_for(main, limit))
    except BaseException as error:
        print(f"FAILED: {type(error).__name__}: {error}", flush=True)
        status = 1
    os._exit(status)


async def power_on(device):
    await device.power_on()
    # Powering on makes a key store in a file.
    device.keystore = MemoryKeyStore()


async def start_peripheral(device):
    stored = bytearray(b"begin")

    def write(connection, value):
        stored[:] = value

    both = Characteristic.Properties.READ | Characteristic.Properties.WRITE
    value = Characteristic(
        VALUE,
        both,
        Characteristic.READABLE | Characteristic.WRITEABLE,
        CharacteristicValue(read=lambda connection: bytes(stored), write=write),
    )
    counter = Characteristic(COUNTER, Characteristic.Properties.NOTIFY, Characteristic.READABLE, b"\0")
    secret = Characteristic(
        SECRET, Characteristic.Properties.READ, Characteristic.READ_REQUIRES_ENCRYPTION, b"only for friends"
    )
    device.add_service(Service(SERVICE, [value, counter, secret]))

    async def notify():
        for number in range(NOTIFICATIONS):
            await device.notify_subscribers(counter, number.to_bytes(2, "little") + bytes(18))

    counter.on("subscription", lambda connection, notifies, indicates: notifies and asyncio.ensure_future(notify()))
    await power_on(device)
    data = bytes(
        AdvertisingData(
            [(AdvertisingData.FLAGS, b"\x06"), (AdvertisingData.COMPLETE_LOCAL_NAME, NAME.encode())]
        )
    )
    return data


async def advertise(device, data, is_extended=False):
    if is_extended:
        properties = AdvertisingEventProperties(is_connectable=True)
        await device.create_advertising_set(
            advertising_parameters=AdvertisingParameters(advertising_event_properties=properties),
            advertising_data=data,
        )
    else:
        device.advertising_data = data
        await device.start_advertising()


async def find(device):
    found = asyncio.get_running_loop().create_future()

    def heard(advertisement):
        if advertisement.data.get(AdvertisingData.COMPLETE_LOCAL_NAME) == NAME and not found.done():
            found.set_result(advertisement)

    device.on("advertisement", heard)
    await device.start_scanning(active=True)
    advertisement = await asyncio.wait_for(found, 20)
    await device.stop_scanning()
    device.remove_listener("advertisement", heard)
    return advertisement


async def exchange(connection):
    peer = Peer(connection)
    mtu = await peer.request_mtu(247)
    expect(mtu == 247, "the MTU is 247")
    await peer.discover_services()
    await peer.discover_characteristics()
    services = [service.uuid for service in peer.services]
    expect(SERVICE in services, "the service is discovered")
    value = peer.get_characteristics_by_uuid(VALUE)[0]
    counter = peer.get_characteristics_by_uuid(COUNTER)[0]
    expect(await value.read_value() == b"begin", "a value is read")
    long = os.urandom(240)
    await value.write_value(long, with_response=True)
    expect(await value.read_value() == long, "240 bytes are written and read back")
    await count(counter.subscribe)
    return peer


async def count(subscribe):
    """Waits for the counter's notifications; `subscribe` turns them on for a function that takes them."""
    numbers = []
    done = asyncio.Event()

    def notified(data):
        numbers.append(int.from_bytes(data[:2], "little"))
        if len(numbers) == NOTIFICATIONS:
            done.set()

    await subscribe(notified)
    await asyncio.wait_for(done.wait(), 30)
    expect(numbers == list(range(NOTIFICATIONS)), f"{NOTIFICATIONS} notifications come in order")


async def refresh(connection):
    """Encrypts anew. Bumble's encrypt() waits for an Encryption Change, which does not come where the key is refreshed."""
    refreshed = asyncio.Event()
    connection.on("connection_encryption_key_refresh", refreshed.set)
    waiting = asyncio.ensure_future(connection.encrypt())
    await asyncio.wait_for(refreshed.wait(), 20)
    waiting.cancel()
