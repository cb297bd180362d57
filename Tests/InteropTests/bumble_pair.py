"""Two Bumble hosts that meet over two controllers: bumble_pair.py PERIPHERAL CENTRAL MODE.

PERIPHERAL and CENTRAL are transports as Bumble writes them. MODE is legacy-advertising or extended-advertising, then how
to pair: secure-connections, legacy-pairing, passkey or numeric-comparison; joined by a plus sign. Ends with status 0 when
all went as it should, and says what did not.
"""

import asyncio
import sys

from bumble import hci
from bumble.device import Device, Peer
from bumble.pairing import PairingDelegate
from bumble.transport import open_transport

from bumble_ends import NAME, SECRET, advertise, config, exchange, expect, find, power_on, refresh, run, start_peripheral

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


def capability(is_central):
    return {
        "passkey": PairingDelegate.KEYBOARD_INPUT_ONLY if is_central else PairingDelegate.DISPLAY_OUTPUT_ONLY,
        "numeric-comparison": PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    }.get(pairing, PairingDelegate.NO_OUTPUT_NO_INPUT)


async def make_device(spec, name, address, is_central):
    transport = await open_transport(spec)
    device = Device.with_hci(name, hci.Address(address), transport.source, transport.sink)
    device.pairing_config_factory = lambda connection: config(Delegate(capability(is_central)), pairing)
    return device


async def main():
    peripheral = await make_device(sys.argv[1], NAME, "F0:00:00:00:00:01", False)
    data = await start_peripheral(peripheral)
    await advertise(peripheral, data, advertising == "extended-advertising")
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
    await advertise(peripheral, data, advertising == "extended-advertising")
    connection = await asyncio.wait_for(central.connect(advertisement.address), 20)
    await asyncio.wait_for(connection.encrypt(), 20)
    expect(connection.is_encrypted, "the bond encrypts another connection")
    peer = Peer(connection)
    value = (await peer.read_characteristics_by_uuid(SECRET))[0]
    expect(value == b"only for friends", "what needs encryption is read on it")
    await connection.disconnect()
    await asyncio.sleep(0.3)


run(main(), 90)
