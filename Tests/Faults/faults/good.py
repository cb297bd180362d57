"""Sessions that went well."""

import struct

from sessions.link import CENTRAL, PERIPHERAL
from sessions.smp import Pairing

from .scene import AS_CENTRAL, AS_PERIPHERAL, EITHER, Scene


def use(scene):
    scene.open()
    scene.chat()
    scene.close()


def subscribe(scene):
    scene.open()
    for name in ("data", "control"):
        scene.client.subscribe(scene.server.characteristics[name])
    scene.notify()
    scene.client.write(scene.handle("control"), b"\x01")
    scene.client.indicate(scene.handle("control"), b"\x01\x00")
    scene.close()


def read_only(scene):
    """Nothing is subscribed, and a search for the database's hash finds none."""
    scene.begin()
    scene.meet()
    scene.client.exchange_mtu()
    scene.client.request(struct.pack("<BHHH", 0x08, 1, 0xFFFF, 0x2B2A))
    scene.client.discover()
    scene.client.read(scene.handle("battery"))
    scene.close(CENTRAL)


def pair(scene):
    scene.open()
    method = scene.random.choice(("just_works", "passkey", "numeric", "oob"))
    Pairing(scene.link, method, secure=method == "numeric" or method != "oob" and scene.random.random() < 0.5,
            security_request=scene.random.random() < 0.3).run()
    scene.chat()
    scene.close()


def bonded(scene):
    scene.open()
    pairing = Pairing(scene.link, "just_works", secure=scene.random.random() < 0.5)
    pairing.run()
    scene.client.subscribe(scene.server.characteristics["data"])
    scene.notify()
    scene.close()
    scene.session.wait(scene.random.uniform(0.5, 5))
    scene.meet()
    pairing.reencrypt(scene.link)
    scene.notify()
    scene.chat(2)
    scene.close()


def retry_after_pairing(scene):
    """Insufficient Authentication, pairing, and the read succeeds."""
    scene.open()
    request = struct.pack("<BH", 0x0A, scene.handle("settings"))
    scene.client.error(request, scene.random.choice((0x05, 0x0F)))
    Pairing(scene.link, "just_works", secure=scene.random.random() < 0.5).run()
    scene.client.request(request)
    scene.close()


def long_values(scene):
    scene.server.find(scene.handle("settings")).value = scene.random.randbytes(60)
    scene.open()
    scene.client.read_long(scene.handle("settings"))
    for number in range(3):
        scene.client.request(struct.pack("<BHH", 0x16, scene.handle("settings"), number * 18) + scene.random.randbytes(18))
    scene.client.request(b"\x18\x01")
    scene.close()


def parameters_accepted(scene):
    scene.open()
    identifier = scene.link.signal(PERIPHERAL, 0x12, struct.pack("<HHHH", 24, 40, 0, 300))
    scene.link.signal(CENTRAL, 0x13, struct.pack("<H", 0), identifier)
    link, session = scene.link, scene.session
    timing = struct.pack("<HHH", 40, 0, 300)
    if scene.role == CENTRAL:
        session.command(0x2013, struct.pack("<HHHHHHH", link.handle, 24, 40, 0, 300, 0, 0), is_status=True)
    instant = link.count + 10
    link.at_event[instant] = [lambda: setattr(link, "interval", 40)]
    link.control(CENTRAL, 0x00, struct.pack("<BH", 2, 0) + timing + struct.pack("<H", instant))
    while link.count <= instant:
        link.event()
    link.timeout = 300
    session.event(session.time + 300, 0x3E, struct.pack("<BBH", 3, 0, link.handle) + timing)
    scene.chat()
    scene.close()


def scanning_only(scene):
    scene.begin()
    for _ in range(scene.random.randint(1, 3)):
        scene.session.scan([scene.peer] + scene.strangers, scene.random.uniform(1, 4))


def advertising_only(scene):
    scene.begin()
    scene.session.host_advertises(scene.random.uniform(1, 6))
    if scene.random.random() < 0.5:
        scene.session.command(0x200A, b"\x00")


def three_connections(scene):
    scene.begin()
    for number in range(3):
        scene.meet(scan=number == 0)
        if number == 0:
            scene.discover()
        scene.chat(2)
        scene.close()
        scene.session.wait(scene.random.uniform(0.3, 2))


SESSIONS = {
    "use": (use, EITHER), "subscribe": (subscribe, EITHER), "read_only": (read_only, EITHER), "pair": (pair, EITHER),
    "bonded": (bonded, EITHER), "retry_after_pairing": (retry_after_pairing, EITHER), "long_values": (long_values, EITHER),
    "parameters_accepted": (parameters_accepted, EITHER), "scanning_only": (scanning_only, AS_CENTRAL),
    "advertising_only": (advertising_only, AS_PERIPHERAL), "three_connections": (three_connections, EITHER),
}


def build_good(way, seed, view):
    make, roles = SESSIONS[way]
    scene = Scene("good", way, seed, view, roles)
    make(scene)
    scene.surround()
    return scene
