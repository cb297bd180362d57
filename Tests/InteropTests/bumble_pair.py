"""Two Bumble hosts that meet over two controllers: bumble_pair.py PERIPHERAL CENTRAL MODE.

PERIPHERAL and CENTRAL are transports as Bumble writes them. MODE is legacy-advertising or extended-advertising, then how
to pair: secure-connections, legacy-pairing, passkey or numeric-comparison; joined by a plus sign. Ends with status 0 when
all went as it should, and says what did not.
"""

import asyncio
import os
import sys

from bumble import hci
from bumble.core import AdvertisingData, UUID
from bumble.device import AdvertisingEventProperties, AdvertisingParameters, Device, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport

SERVICE = UUID("5a3b0001-0d5f-4b6e-9f43-3e6a4c1d7f10")
VALUE = UUID("5a3b0002-0d5f-4b6e-9f43-3e6a4c1d7f10")
COUNTER = UUID("5a3b0003-0d5f-4b6e-9f43-3e6a4c1d7f10")
SECRET = UUID("5a3b0004-0d5f-4b6e-9f43-3e6a4c1d7f10")
NAME = "radio test"
NOTIFICATIONS = 100

advertising, pairing = sys.argv[3].split("+")
passkeys = asyncio.Queue()


class Delegate(PairingDelegate):
    """The people at both ends: one reads the passkey to the other."""

    async def display_number(self, number, digits):
        passkeys.put_nowait(number)

    async def get_number(self):
        return await passkeys.get()

    async def compare_numbers(self, number, digits):
        return True


def config(is_central):
    capability = {
        "passkey": PairingDelegate.KEYBOARD_INPUT_ONLY if is_central else PairingDelegate.DISPLAY_OUTPUT_ONLY,
        "numeric-comparison": PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    }.get(pairing, PairingDelegate.NO_OUTPUT_NO_INPUT)
    return PairingConfig(
        sc=pairing != "legacy-pairing",
        mitm=pairing in ("passkey", "numeric-comparison"),
        bonding=True,
        delegate=Delegate(capability),
        identity_address_type=PairingConfig.AddressType.RANDOM,
    )


def expect(condition, text):
    if not condition:
        raise AssertionError(text)
    print("ok", text, flush=True)


async def make_device(spec, name, address, is_central):
    transport = await open_transport(spec)
    device = Device.with_hci(name, hci.Address(address), transport.source, transport.sink)
    device.pairing_config_factory = lambda connection: config(is_central)
    return device


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


async def advertise(device, data):
    if advertising == "extended-advertising":
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
    numbers = []
    done = asyncio.Event()

    def notified(data):
        numbers.append(int.from_bytes(data[:2], "little"))
        if len(numbers) == NOTIFICATIONS:
            done.set()

    await counter.subscribe(notified)
    await asyncio.wait_for(done.wait(), 30)
    expect(numbers == list(range(NOTIFICATIONS)), f"{NOTIFICATIONS} notifications come in order")
    return peer


async def refresh(connection):
    """Encrypts anew. Bumble's encrypt() waits for an Encryption Change, which does not come where the key is refreshed."""
    refreshed = asyncio.Event()
    connection.on("connection_encryption_key_refresh", refreshed.set)
    waiting = asyncio.ensure_future(connection.encrypt())
    await asyncio.wait_for(refreshed.wait(), 20)
    waiting.cancel()


async def main():
    peripheral = await make_device(sys.argv[1], NAME, "F0:00:00:00:00:01", False)
    data = await start_peripheral(peripheral)
    await advertise(peripheral, data)
    central = await make_device(sys.argv[2], "central", "F0:00:00:00:00:02", True)
    await power_on(central)
    advertisement = await find(central)
    is_legacy = advertising == "legacy-advertising"
    expect(advertisement.is_legacy == is_legacy, "advertising is of the kind that was asked for")
    connection = await asyncio.wait_for(central.connect(advertisement.address), 20)
    expect(await connection.get_remote_le_features() != 0, "the peer's features are told")
    await connection.set_data_length(251, 2120)
    await connection.set_phy(tx_phys=[hci.Phy.LE_2M], rx_phys=[hci.Phy.LE_2M])
    peer = await exchange(connection)
    await asyncio.wait_for(connection.pair(), 20)
    expect(connection.is_encrypted, "pairing has encrypted the connection")
    expect(bool(connection.sc) == (pairing != "legacy-pairing"), "pairing is of the kind that was asked for")
    secret = peer.get_characteristics_by_uuid(SECRET)[0]
    expect(await secret.read_value() == b"only for friends", "what needs encryption is read")
    await refresh(connection)
    expect(await secret.read_value() == b"only for friends", "and read again after the key was refreshed")
    await connection.disconnect()
    await asyncio.sleep(0.5)
    if pairing == "legacy-pairing":
        # With such a bond, Bumble 0.0.236 as central encrypts with the key that it has given to the peer instead of the
        # peer's: controllers that compare keys end the connection.
        return
    await advertise(peripheral, data)
    connection = await asyncio.wait_for(central.connect(advertisement.address), 20)
    await asyncio.wait_for(connection.encrypt(), 20)
    expect(connection.is_encrypted, "the bond encrypts another connection")
    peer = Peer(connection)
    value = (await peer.read_characteristics_by_uuid(SECRET))[0]
    expect(value == b"only for friends", "what needs encryption is read on it")
    await connection.disconnect()
    await asyncio.sleep(0.3)


status = 0
try:
    asyncio.run(asyncio.wait_for(main(), 90))
except BaseException as error:
    print(f"FAILED: {type(error).__name__}: {error}", flush=True)
    status = 1
os._exit(status)
