"""A central and a peripheral by Bumble, what they do in every session, and the register of faults."""

import asyncio
import os
from dataclasses import dataclass
from random import Random

from bumble import hci
from bumble.att import ATT_Error, ErrorCode
from bumble.core import UUID, AdvertisingData, ProtocolError
from bumble.device import ConnectionParametersPreferences, Device, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.host import Host
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.snoop import BtSnooper
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink

from .controllers import PacedLink, PatchedController

NAMES = ("Scale 3", "Kitchen", "HR-20", "Lamp", "Sensor-4711", "Bike")
FAULTS = {}
# Views of a session.
CENTRAL, PERIPHERAL, AIR = "central", "peripheral", "air"


@dataclass(frozen=True)
class Fault:
    """How to plant a fault, and its cause in each view that shows it."""

    way: str
    plant: object
    causes: dict


def fault(way, cause=None, **causes):
    """Registers a coroutine. `cause` holds in all views; central=, peripheral= and air= for some of them."""

    def register(plant):
        if way in FAULTS:
            raise ValueError(f"two ways {way}")
        shown = causes or dict.fromkeys((CENTRAL, PERIPHERAL, AIR), cause)
        FAULTS[way] = Fault(way, plant, shown)
        return plant

    return register


class Delegate(PairingDelegate):
    """The person at one end; both share `numbers`, where the display shows a passkey."""

    def __init__(self, capability, numbers, maximum_key_size=16):
        super().__init__(capability, maximum_encryption_key_size=maximum_key_size)
        self.numbers = numbers
        self.accepts = self.agrees = True
        # Added to the passkey that the person reads.
        self.slip = 0

    async def accept(self):
        return self.accepts

    async def generate_passkey(self):
        return self.numbers["passkey"]

    async def get_number(self):
        await asyncio.sleep(3)
        # Bumble asserts that a passkey is not 0.
        return (self.numbers["passkey"] + self.slip) % 1_000_000 or 1

    async def compare_numbers(self, number, digits):
        await asyncio.sleep(2)
        return self.agrees


# Input and output of central and peripheral, and whether to ask for protection against a man in the middle.
METHODS = {
    "just_works": (PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT, PairingDelegate.NO_OUTPUT_NO_INPUT, False),
    "passkey": (PairingDelegate.KEYBOARD_INPUT_ONLY, PairingDelegate.DISPLAY_OUTPUT_ONLY, True),
    "numeric": (
        PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT, PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT, True,
    ),
}


class Scene:
    """Two devices. Without a radio, two of Bumble's controllers in this process."""

    def __init__(self, way, seed, folder, radio=None):
        self.random = Random(f"{way}/{seed}/bumble")
        self.radio = radio
        # Recordings by view, and the views that do not show the fault after all.
        self.files, self.silent = {}, set()
        self.transports = {}
        self.folder = folder
        self.stem = f"bumble-{'radio-' if radio else ''}{way}-{seed}"
        self.link = None if radio else PacedLink(self.random)
        self.controllers = {}
        self.numbers = {"passkey": self.random.randrange(1, 1_000_000)}
        self.connection = self.peer = None
        self.received = []

    async def begin(self):
        self.name = self.random.choice(NAMES)
        self.central = await self.make(CENTRAL, "phone")
        self.peripheral = await self.make(PERIPHERAL, self.name)
        self.delegates = {}
        self.pairs_by("just_works", secure=True)
        self.add_services()
        for device in (self.peripheral, self.central):
            await device.power_on()
            device.keystore = MemoryKeyStore()

    async def make(self, view, name):
        octets = self.random.randbytes(6)
        address = ":".join(f"{octet:02X}" for octet in bytes([octets[0] | 0xC0]) + octets[1:])
        if self.radio:
            transport = await open_transport(self.radio[view])
            self.transports[view] = transport
            device = Device.with_hci(name, hci.Address(address), transport.source, transport.sink)
        else:
            public = ":".join(f"{octet:02X}" for octet in self.random.randbytes(6))
            controller = PatchedController(name, link=self.link, public_address=public)
            self.controllers[view] = controller
            host = Host(controller, AsyncPipeSink(controller))
            device = Device(name=name, address=hci.Address(address), host=host)
        self.files[view] = open(os.path.join(self.folder, f"{self.stem}-{view}.btsnoop"), "wb")
        device.host.snooper = BtSnooper(self.files[view])
        return device

    def close_files(self, views):
        """The names of the recordings by view; those of other views are removed."""
        names = {}
        for view, file in self.files.items():
            file.close()
            if view in views:
                names[view] = os.path.basename(file.name)
            else:
                os.remove(file.name)
        return names

    # The server.

    def add_services(self):
        random, properties = self.random, Characteristic.Properties
        names = ("service", "data", "control", "settings", "key")
        self.uuids = {name: UUID.from_bytes(random.randbytes(16)) for name in names}
        self.values = {"settings": random.randbytes(random.randint(8, 18)), "data": random.randbytes(12)}
        # The attribute protocol's error that a write to a characteristic gets.
        self.refusals = {}

        def reads(name):
            def read(connection):
                self.refuse(name, "read")
                return self.values[name]

            return read

        def writes(name):
            def write(connection, value):
                self.refuse(name, "write")
                self.values[name] = bytes(value)

            return write

        def handler(name):
            return CharacteristicValue(read=reads(name), write=writes(name))

        readable, writeable = Characteristic.READABLE, Characteristic.WRITEABLE
        self.values["control"] = b"\0"
        self.data = Characteristic(
            self.uuids["data"], properties.NOTIFY | properties.READ, readable, handler("data")
        )
        self.control = Characteristic(
            self.uuids["control"], properties.WRITE | properties.INDICATE, writeable, handler("control")
        )
        self.settings = Characteristic(
            self.uuids["settings"], properties.READ | properties.WRITE, readable | writeable, handler("settings")
        )
        self.key = Characteristic(self.uuids["key"], properties.READ | properties.WRITE, readable, b"\x11\x22")
        level = Characteristic(UUID(0x2A19), properties.READ, readable, bytes([random.randint(5, 100)]))
        self.peripheral.add_service(Service(UUID(0x180F), [level]))
        self.peripheral.add_service(
            Service(self.uuids["service"], [self.data, self.control, self.settings, self.key])
        )

        self.check_permissions()

    def check_permissions(self):
        """Bumble's server writes what has no permission to be written; others answer by Write Not Permitted."""
        server = self.peripheral.gatt_server
        answer = server.on_att_write_request

        def patched(bearer, request):
            attribute = server.get_attribute(request.attribute_handle)
            if attribute and not attribute.permissions & Characteristic.WRITEABLE:
                raise ATT_Error(ErrorCode.WRITE_NOT_PERMITTED, request.attribute_handle)
            answer(bearer, request)

        server.on_att_write_request = patched

    def refuse(self, name, operation):
        if error := self.refusals.get((name, operation)):
            raise ATT_Error(error)

    # Pairing.

    def pairs_by(self, method, secure, sizes=(16, 16)):
        central, peripheral, protects = METHODS[method]
        for view, device, capability, size in (
            (CENTRAL, self.central, central, sizes[0]), (PERIPHERAL, self.peripheral, peripheral, sizes[1]),
        ):
            delegate = self.delegates[view] = Delegate(capability, self.numbers, size)
            config = PairingConfig(
                sc=secure, mitm=protects, delegate=delegate,
                identity_address_type=PairingConfig.AddressType.RANDOM,
            )
            device.pairing_config_factory = lambda connection, config=config: config

    async def pair(self):
        """Pairs; the error if that fails."""
        try:
            await asyncio.wait_for(self.connection.pair(), 25)
        except Exception as error:
            return error
        await asyncio.sleep(0.3)
        return None

    async def expect_failure(self):
        """Pairs, and Pairing Failed ends it."""
        error = await self.pair()
        if not isinstance(error, ProtocolError):
            raise RuntimeError("the pairing succeeded") from error

    # The session.

    async def advertise(self):
        name = (AdvertisingData.COMPLETE_LOCAL_NAME, self.name.encode())
        self.peripheral.advertising_data = bytes(AdvertisingData([(AdvertisingData.FLAGS, b"\x06"), name]))
        await self.peripheral.start_advertising()

    async def scan(self):
        """The peripheral's address when the central has heard it."""
        found = asyncio.get_running_loop().create_future()
        wanted = self.peripheral.random_address

        def heard(advertisement):
            if advertisement.address == wanted and not found.done():
                found.set_result(advertisement.address)

        self.central.on("advertisement", heard)
        await self.central.start_scanning(active=True)
        address = await asyncio.wait_for(found, 20)
        await asyncio.sleep(self.random.uniform(0.2, 1))
        await self.central.stop_scanning()
        self.central.remove_listener("advertisement", heard)
        return address

    async def connect(self, address):
        interval = self.random.choice((15, 30, 45))
        preferences = ConnectionParametersPreferences(
            connection_interval_min=interval, connection_interval_max=interval,
            supervision_timeout=self.random.choice((2000, 4000, 6000)),
        )
        accepted = asyncio.get_running_loop().create_future()
        self.peripheral.once("connection", lambda connection: accepted.done() or accepted.set_result(connection))
        self.connection = await self.central.connect(
            address, connection_parameters_preferences={hci.Phy.LE_1M: preferences}
        )
        self.peer = Peer(self.connection)
        self.served = await asyncio.wait_for(accepted, 20)

    async def meet(self):
        await self.advertise()
        await self.connect(await self.scan())
        await asyncio.sleep(self.random.uniform(0.1, 0.6))

    async def discover(self, mtu=True):
        if mtu:
            await self.peer.request_mtu(self.random.choice((185, 247, 517)))
        await self.peer.discover_services()
        await self.peer.discover_characteristics()

    async def open(self):
        await self.begin()
        await self.meet()
        await self.discover()

    def remote(self, name):
        return self.peer.get_characteristics_by_uuid(self.uuids[name])[0]

    async def chat(self, count=3):
        for _ in range(count):
            if self.random.random() < 0.5:
                await self.remote("settings").read_value()
            else:
                value = self.random.randbytes(self.random.randint(4, 18))
                await self.remote("settings").write_value(value, with_response=True)
            await asyncio.sleep(self.random.uniform(0.05, 0.8))

    async def subscribe(self, name="data"):
        await self.remote(name).subscribe(self.received.append, prefer_notify=name == "data")

    async def notify(self, count=5):
        for _ in range(count):
            await self.peripheral.notify_subscriber(self.served, self.data, self.random.randbytes(12))
            await asyncio.sleep(self.random.uniform(0.1, 0.4))

    async def attempt(self, operation, allowed=(ATT_Error,)):
        """Awaits an operation that the peer must refuse."""
        try:
            await operation
        except allowed:
            await asyncio.sleep(self.random.uniform(0.1, 1))
            return
        raise RuntimeError("the operation succeeded")

    async def close(self, side=None, reason=0x13):
        connection = {CENTRAL: self.connection, PERIPHERAL: self.served}[
            side or self.random.choice((CENTRAL, PERIPHERAL))
        ]
        try:
            await connection.disconnect(reason)
        except Exception as error:
            # The other side was faster.
            if self.connection.handle in self.central.connections:
                raise error
        await asyncio.sleep(self.random.uniform(0.5, 1.5))

    async def idle(self, low, high):
        await asyncio.sleep(self.random.uniform(low, high))

    async def leave(self):
        await self.idle(0.3, 2)
        await self.close()
