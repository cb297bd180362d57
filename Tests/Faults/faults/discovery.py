"""Faults before a connection: the peer is not heard, is filtered out, stops advertising, or advertises to another."""

import struct

from sessions.link import PERIPHERAL
from sessions.session import ADV_DIRECT_IND, ADVERTISING_TIMEOUT, Device

from .scene import AIR, AS_CENTRAL, AS_PERIPHERAL, HCI, fault


def attempt(scene, policy=0, seconds=None):
    """LE Create Connection, in vain until it is cancelled."""
    scene.session.create_connection(scene.peer, policy)
    scene.session.wait(seconds or scene.random.uniform(4, 20))
    scene.session.cancel_connection()


def accept(scene, *devices):
    scene.session.command(0x2010)
    for device in devices:
        scene.session.command(0x2011, bytes([device.type]) + device.address)


# never_heard


@fault("never_heard", views=HCI, roles=AS_CENTRAL)
def others_heard(scene):
    scene.begin()
    scene.session.scan(scene.strangers, scene.random.uniform(1, 5))
    attempt(scene)


@fault("never_heard", views=HCI, roles=AS_CENTRAL)
def scan_between(scene):
    scene.begin()
    for _ in range(2):
        attempt(scene)
        scene.session.scan(scene.strangers[:1], scene.random.uniform(2, 6))


@fault("never_heard", views=HCI, roles=AS_CENTRAL)
def nothing_heard(scene):
    scene.begin()
    scene.session.scan([], scene.random.uniform(2, 8))
    attempt(scene)


# advertising_stopped


def heard_then_silent(scene, listed=3):
    """Reports of the peer, many of them, and then only those of others while the scan goes on."""
    session = scene.session
    session.scan([scene.peer] * 3 + scene.strangers[:1], 3, until_stop=False)
    begin = session.time
    for _ in range(8):
        session.report(scene.strangers[0], session.random.randint(begin, begin + 6_000_000))
    session.wait(6)
    session.stop_scan()


@fault("advertising_stopped", views=HCI, roles=AS_CENTRAL)
def during_scan(scene):
    scene.begin()
    heard_then_silent(scene)
    attempt(scene)


@fault("advertising_stopped", views=HCI, roles=AS_CENTRAL)
def gone_in_second_scan(scene):
    scene.begin()
    scene.session.scan([scene.peer] + scene.strangers, scene.random.uniform(1, 3))
    attempt(scene)
    scene.session.scan(scene.strangers, scene.random.uniform(3, 6), duplicates=True)


@fault("advertising_stopped", views=HCI, roles=AS_PERIPHERAL)
def set_terminated(scene):
    """The host's own advertising set ends by its duration, without a connection."""
    scene.begin()
    session = scene.session
    body = struct.pack("<BH", 0, 0x13) + (0xA0).to_bytes(3, "little") * 2 + bytes([7, session.host.type]) + bytes(7)
    session.command(0x2036, body + bytes([0, 0x7F, 1, 0, 1, 0, 0]), returns=b"\x00")
    session.command(0x2037, bytes([0, 3, 1, len(session.host.data)]) + session.host.data)
    duration = scene.random.choice((500, 1000, 3000))
    session.command(0x2039, struct.pack("<BBBHB", 1, 1, 0, duration, 0))
    session.wait(duration / 100)
    session.event(session.time, 0x3E, struct.pack("<BBBHB", 0x12, ADVERTISING_TIMEOUT, 0, 0, 0))


@fault("advertising_stopped", views=HCI, roles=AS_PERIPHERAL)
def directed_timeout(scene):
    """High duty cycle directed advertising ends after 1.28 s: Advertising Timeout."""
    scene.begin()
    session = scene.session
    session.host_advertises(1.28, kind=1, target=scene.peer)
    session.report_connection(ADVERTISING_TIMEOUT, 0, PERIPHERAL, scene.peer, 0, 0, 0)


# filter_excluded


@fault("filter_excluded", views=HCI, roles=AS_CENTRAL, neighbour=False)
def not_in_accept_list(scene):
    scene.begin()
    scene.look_around()
    accept(scene, *scene.strangers[: scene.random.randint(1, 2)])
    attempt(scene, policy=1)
    scene.look_around()


@fault("filter_excluded", views=HCI, roles=AS_CENTRAL, neighbour=False)
def wrong_address_type(scene):
    scene.begin()
    scene.look_around()
    scene.session.command(0x2010)
    scene.session.command(0x2011, bytes([1 - scene.peer.type]) + scene.peer.address)
    attempt(scene, policy=1)
    scene.look_around()


@fault("filter_excluded", views=HCI, roles=AS_CENTRAL, neighbour=False)
def accept_list_empty(scene):
    scene.begin()
    scene.look_around()
    accept(scene)
    attempt(scene, policy=1)
    scene.look_around()


@fault("filter_excluded", views=HCI, roles=AS_CENTRAL, neighbour=False)
def removed_from_accept_list(scene):
    """The peer was accepted, and a connection went well; then it is removed."""
    scene.begin()
    scene.look_around()
    accept(scene, scene.peer, scene.strangers[0])
    scene.meet(scan=False)
    scene.discover()
    scene.close()
    scene.session.command(0x2012, bytes([scene.peer.type]) + scene.peer.address)
    attempt(scene, policy=1)
    scene.look_around()


# directed_elsewhere


def report_directed(scene, target, seconds=3):
    """A scan that also takes directed advertising to private addresses that the controller cannot resolve."""
    session = scene.session
    session.scan(scene.strangers[:1], seconds, policy=2, until_stop=False)
    for _ in range(scene.random.randint(3, 8)):
        time = session.time - scene.random.randint(0, int(seconds * 800_000))
        session.report(scene.peer, time, ADV_DIRECT_IND, target)
    session.stop_scan()


@fault("directed_elsewhere", views=HCI, roles=AS_CENTRAL)
def reported(scene):
    scene.begin()
    report_directed(scene, Device(scene.random, "phone", "private"))
    attempt(scene)


@fault("directed_elsewhere", views=HCI, roles=AS_CENTRAL)
def undirected_before(scene):
    scene.begin()
    scene.look_around()
    scene.session.wait(1)
    report_directed(scene, Device(scene.random, "phone", "private"))
    attempt(scene)


@fault("directed_elsewhere", views=HCI, roles=AS_CENTRAL)
def after_connection(scene):
    scene.open()
    scene.chat()
    scene.close()
    report_directed(scene, Device(scene.random, "phone", "private"))
    attempt(scene)
    report_directed(scene, Device(scene.random, "phone", "private"), 2)


def ignored_request(scene, interval):
    """The peripheral advertises to another; the central's CONNECT_IND have no answer."""
    session = scene.session
    target = Device(scene.random, "phone")
    for _ in range(scene.random.randint(1, 3)):
        session.advertise_on_air(scene.peripheral, session.time + 600_000, ADV_DIRECT_IND, target, interval=interval)
        session.wait(0.6)
        link = session.connect(scene.peer, advertised=0, established=False, prepared=True, directed=target)
        for _ in range(6):
            link.event()
        session.time = link.time
    session.advertise_on_air(scene.peripheral, session.time + 1_000_000, ADV_DIRECT_IND, target, interval=interval)
    session.wait(1)


@fault("directed_elsewhere", views=AIR, roles=AS_CENTRAL)
def low_duty(scene):
    scene.begin()
    ignored_request(scene, 100_000)


@fault("directed_elsewhere", views=AIR, roles=AS_CENTRAL)
def high_duty(scene):
    scene.begin()
    ignored_request(scene, 3_750)


@fault("directed_elsewhere", views=AIR, roles=AS_CENTRAL)
def bonded_to_another(scene):
    scene.open()
    scene.chat()
    scene.close()
    scene.session.wait(0.5)
    ignored_request(scene, 60_000)
