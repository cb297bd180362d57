"""One Bumble host that meets a host of somebody else's: bumble_peer.py TRANSPORT ROLE PAIRING.

TRANSPORT is the controller to use, as Bumble writes it. With "serve=" before it, it is the other host's link instead: then
Bumble has both controllers, and attaches one of them to it. ROLE is peripheral or central; pairing-central only connects and
pairs, pairing-peripheral expects no more. PAIRING is just-works,
passkey-shown, passkey-typed (by this host) or numeric-comparison, with "legacy-" before it for LE legacy pairing. A passkey
to be typed is read from standard input; one that is shown is 123456. Ends with status 0 when all went as it should, and
says what did not.
"""

import asyncio
import sys

from bumble import hci
from bumble.att import ATT_Error
from bumble.controller import Controller
from bumble.device import Device, Peer
from bumble.host import Host
from bumble.link import LocalLink
from bumble.pairing import PairingDelegate
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink

from bumble_ends import SECRET, advertise, config, exchange, expect, find, power_on, run, start_peripheral

spec, role, pairing = sys.argv[1:4]


class Delegate(PairingDelegate):
    """The person at this end."""

    async def generate_passkey(self):
        return 123456

    async def display_number(self, number, digits):
        pass

    async def get_number(self):
        line = await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
        return int(line)

    async def compare_numbers(self, number, digits):
        return True


CAPABILITIES = {
    "passkey-shown": PairingDelegate.DISPLAY_OUTPUT_ONLY,
    "passkey-typed": PairingDelegate.KEYBOARD_INPUT_ONLY,
    "numeric-comparison": PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    "just-works": PairingDelegate.NO_OUTPUT_NO_INPUT,
}


class PatientController(Controller):
    """Refuses commands of the kind with a Command Status that it does not know; Bumble's own does not answer them."""

    def on_hci_command_packet(self, command):
        known = hasattr(self, f"on_{command.name.lower()}")
        if isinstance(command, hci.HCI_SyncCommand) or known:
            return super().on_hci_command_packet(command)
        self.send_hci_packet(
            hci.HCI_Command_Status_Event(
                status=hci.HCI_ErrorCode.UNKNOWN_HCI_COMMAND_ERROR,
                num_hci_command_packets=1,
                command_opcode=command.op_code,
            )
        )


async def make_device():
    if spec.startswith("serve="):
        transport = await open_transport(spec.removeprefix("serve="))
        link = LocalLink()
        PatientController("theirs", transport.source, transport.sink, link, public_address="02:42:00:00:01:01")
        own = PatientController("own", link=link, public_address="02:42:00:00:01:02")
        device = Device(host=Host(own, AsyncPipeSink(own)), name="Bumble", address=hci.Address("F0:00:00:00:00:02"))
    else:
        transport = await open_transport(spec)
        device = Device.with_hci("Bumble", hci.Address("F0:00:00:00:00:02"), transport.source, transport.sink)
    delegate = Delegate(CAPABILITIES[pairing.removeprefix("legacy-")])
    device.pairing_config_factory = lambda connection: config(delegate, pairing)
    return device


async def be_central(device):
    await power_on(device)
    advertisement = await find(device)
    connection = await asyncio.wait_for(device.connect(advertisement.address), 20)
    peer = await exchange(connection)
    secret = peer.get_characteristics_by_uuid(SECRET)[0]
    try:
        await secret.read_value()
        refused = False
    except ATT_Error as error:
        refused = error.error_code in (0x05, 0x0F)
    expect(refused, "what needs encryption is refused without it")
    await asyncio.wait_for(connection.pair(), 20)
    expect(connection.is_encrypted, "pairing has encrypted the connection")
    expect(bool(connection.sc) == ("legacy" not in pairing), "pairing is of the kind that was asked for")
    expect(await secret.read_value() == b"only for friends", "what needs encryption is read")
    await connection.disconnect()
    if "legacy" in pairing:
        # With such a bond, Bumble 0.0.236 as central encrypts with the key that it has given to the peer.
        return
    connection = await asyncio.wait_for(device.connect(advertisement.address), 20)
    await asyncio.wait_for(connection.encrypt(), 20)
    expect(connection.is_encrypted, "the bond encrypts another connection")
    value = (await Peer(connection).read_characteristics_by_uuid(SECRET))[0]
    expect(value == b"only for friends", "what needs encryption is read on it")
    await connection.disconnect()


async def only_pair(device):
    await power_on(device)
    advertisement = await find(device)
    connection = await asyncio.wait_for(device.connect(advertisement.address), 20)
    await asyncio.wait_for(connection.pair(), 20)
    # The keys that are distributed last are still on their way.
    await asyncio.sleep(0.3)
    await connection.disconnect()


async def be_peripheral(device):
    """Until the central has gone for the second time; for the first with a legacy bond, see `be_central`."""
    data = await start_peripheral(device)
    connections = asyncio.Queue()
    device.on("connection", lambda connection: connections.put_nowait(connection))
    for _ in range(1 if "legacy" in pairing or role.startswith("pairing") else 2):
        await advertise(device, data)
        connection = await asyncio.wait_for(connections.get(), 30)
        gone = asyncio.Event()
        connection.on("disconnection", lambda reason: gone.set())
        await asyncio.wait_for(gone.wait(), 30)
        expect(connection.is_encrypted, "the connection was encrypted")


async def main():
    device = await make_device()
    roles = {"central": be_central, "pairing-central": only_pair}
    await roles.get(role, be_peripheral)(device)
    await asyncio.sleep(0.2)


run(main(), 60)
