"""The registry of faults, and the scene in which each of them is planted."""

import struct
from dataclasses import dataclass, field
from random import Random

from sessions.gatt import Client, thing
from sessions.link import CENTRAL, PERIPHERAL
from sessions.session import Device, Session

FAULTS = {}
BOTH, HCI = ("hci", "air"), ("hci",)
AIR = ("air",)
# Roles of the logged host.
EITHER, AS_CENTRAL, AS_PERIPHERAL = (CENTRAL, PERIPHERAL), (CENTRAL,), (PERIPHERAL,)
NAMES = ("Thermo", "Scale 7", "Bulb", "Lock-2F", "Band", "Tag", "Pump", "Meter A1", "Cuff", "Valve")


@dataclass
class Fault:
    """A way to plant a cause."""

    cause: str
    way: str
    plant: object
    views: tuple
    roles: tuple
    # Causes that further incidents of the session may name.
    allowed: tuple = ()
    # Whether the host may have another connection at the same time.
    neighbour: bool = True
    options: dict = field(default_factory=dict)


def fault(cause, way=None, views=BOTH, roles=EITHER, allowed=(), neighbour=True, **options):
    """Registers a function as a way to plant a cause."""

    def register(plant):
        name = way or plant.__name__
        if (cause, name) in FAULTS:
            raise ValueError(f"{cause} has two ways {name}")
        FAULTS[cause, name] = Fault(cause, name, plant, views, roles, allowed, neighbour, options)
        return plant

    return register


class Scene:
    """A host, its peer with a server, and unrelated traffic around them."""

    def __init__(self, cause, way, seed, view, roles=EITHER, neighbour=True, options=None):
        # Both views of a seed are different sessions: a rule that was fitted to one does not fit the other by chance.
        self.random = Random(f"{cause}/{way}/{seed}/{view}")
        self.view = view
        self.role = self.random.choice(roles)
        self.session = Session(self.random, self.role, **(options or {}))
        self.session.decrypts = view == "air" and self.random.random() < 0.6
        name = self.random.choice(NAMES)
        self.peer = Device(self.random, name)
        self.server = thing(self.random, name)
        self.link = self.client = self.other = None
        self.has_neighbour = neighbour and self.random.random() < 0.4
        self.has_strangers = self.random.random() < 0.5
        self.link_type = 256
        self.strangers = [Device(self.random, n) for n in self.random.sample(("TV", "Beacon", "Mouse", "Ear", "Car"), 3)]
        self.is_left_open = self.random.random() < 0.2

    @property
    def central(self):
        return self.session.host if self.role == CENTRAL else self.peer

    @property
    def peripheral(self):
        return self.peer if self.role == CENTRAL else self.session.host

    # The course of a session.

    def begin(self):
        """Sets the controller up; connects the host to another device if the scene has one."""
        self.session.start()
        if self.role == PERIPHERAL:
            self.session.host.data = self.peer.data
        if self.has_neighbour and self.role == CENTRAL:
            name = self.random.choice(NAMES) + " 2"
            device = Device(self.random, name)
            link = self.session.connect(device)
            self.other = Client(link, thing(self.random, name))
            self.other.exchange_mtu()
            self.other.discover()
            self.other.subscribe(self.other.server.characteristics["data"])
        self.branch = self.session.time

    def look_around(self, seconds=None):
        """The host scans and finds the peer among others."""
        if self.role == CENTRAL:
            around = [self.peer] + self.strangers[: self.random.randint(0, 3)]
            self.session.scan(around, seconds or self.random.uniform(0.4, 2))

    def meet(self, scan=None, **options):
        """Connects with the peer; returns the link."""
        if scan or (scan is None and self.random.random() < 0.7):
            self.look_around()
        self.link = self.session.connect(self.peer, **options)
        self.client = Client(self.link, self.server)
        return self.link

    def discover(self, mtu=None, exchanges=None):
        if exchanges or (exchanges is None and self.random.random() < 0.8):
            self.client.exchange_mtu(mtu)
        self.client.discover()

    def open(self, **options):
        """Set-up, connection and discovery."""
        self.begin()
        self.meet(**options)
        self.discover()
        return self.link

    def handle(self, name):
        return self.server.characteristics[name].value

    def chat(self, count=None):
        """Ordinary use: reads and writes that succeed."""
        for _ in range(self.random.randint(1, 5) if count is None else count):
            what = self.random.choice(("name", "battery", "settings", "write"))
            if what == "write":
                size = len(self.server.find(self.handle("settings")).value)
                self.client.write(self.handle("settings"), self.random.randbytes(size))
            else:
                self.client.read(self.handle(what))
            if self.random.random() < 0.3:
                self.link.idle(self.random.uniform(0.2, 1.5))

    def notify(self, count=None, name="data"):
        size = len(self.server.find(self.handle(name)).value) or 6
        for _ in range(self.random.randint(2, 6) if count is None else count):
            self.client.notify(self.handle(name), self.random.randbytes(size))
            if self.random.random() < 0.5:
                self.link.idle(self.random.uniform(0.1, 0.6))

    def close(self, side=None, reason=0x13):
        """A normal end of the connection."""
        side = self.random.choice((CENTRAL, PERIPHERAL)) if side is None else side
        if self.random.random() < 0.5:
            self.link.idle(self.random.uniform(0.1, 1))
        self.link.disconnect(side, reason)

    def leave(self):
        """The peer is used in an ordinary way after the fault, or not, and the connection ends or the capture does."""
        if not self.is_left_open:
            self.close()

    @property
    def remote(self):
        return 1 - self.role

    # What goes on at the same time.

    def surround(self):
        """Adds the unrelated traffic from the time on when the scene's own began."""
        session, end = self.session, self.session.time
        begin = getattr(self, "branch", session.origin)
        if self.other:
            session.time = begin
            link = self.other.link
            value = self.other.server.characteristics["data"].value
            for _ in range(40):
                link.idle(self.random.uniform(0.3, 1.5))
                if session.time > end:
                    break
                if self.random.random() < 0.7:
                    self.other.notify(value, self.random.randbytes(6))
                else:
                    self.other.read(self.other.server.characteristics["battery"].value)
            link.idle(max(0, (end - session.time) / 1e6))
        if self.view == "air" and self.has_strangers:
            for device in self.strangers[:2]:
                session.advertise_on_air(device, min(end, begin + 8_000_000), start=begin)
            session.time = begin
            pair = [Device(self.random, "A"), Device(self.random, "B")]
            link = session.connect(None, between=pair, exchange=False, interval=80)
            link.idle(min(6, max(0.5, (end - session.time) / 1e6)))
            client = Client(link, thing(self.random, "B"))
            client.read(client.server.characteristics["name"].value)
            link.disconnect(CENTRAL)
        session.time = max(end, session.time)

    def rssi(self, value):
        handle = struct.pack("<H", self.link.handle)
        self.session.command(0x1405, handle, returns=handle + struct.pack("b", value))

    def bytes(self):
        return self.session.file(self.view, self.link_type)


def build(cause, way, seed, view):
    """The scene with the fault planted."""
    found = FAULTS[cause, way]
    scene = Scene(cause, way, seed, view, found.roles, found.neighbour, found.options)
    found.plant(scene)
    scene.surround()
    return scene


__all__ = ["AIR", "AS_CENTRAL", "AS_PERIPHERAL", "BOTH", "EITHER", "FAULTS", "HCI", "Scene", "build", "fault"]
