"""Faults of flow: buffers of the controller, credits, requests without a response, the prepare queue."""

import struct

from sessions.link import CENTRAL, PERIPHERAL

from .scene import HCI, fault


# acl_buffers_stuck: packets are not reported as completed until the host may send no more.


def send_on(scene, count):
    """PDUs of the host, each in one ACL packet."""
    link = scene.link
    for _ in range(count):
        if scene.role == CENTRAL:
            pdu = struct.pack("<BH", 0x52, scene.handle("settings")) + scene.random.randbytes(16)
        else:
            pdu = struct.pack("<BH", 0x1B, scene.handle("data")) + scene.random.randbytes(16)
        link.att(scene.role, pdu)


def stick(scene, end):
    scene.open()
    if scene.role == PERIPHERAL:
        scene.client.subscribe(scene.server.characteristics["data"])
    send_on(scene, scene.random.randint(5, 20))
    scene.link.reports_completed = False
    send_on(scene, scene.session.acl_count)
    scene.link.idle(scene.random.uniform(6, 20))
    end(scene)


@fault("acl_buffers_stuck", views=HCI, neighbour=False)
def then_disconnect(scene):
    stick(scene, lambda scene: scene.link.disconnect(scene.role))


@fault("acl_buffers_stuck", views=HCI, neighbour=False)
def capture_ends(scene):
    stick(scene, lambda scene: None)


@fault("acl_buffers_stuck", views=HCI, neighbour=False)
def then_reset(scene):
    stick(scene, lambda scene: scene.session.command(0x0C03))


# credits_exhausted: an SDU of a credit-based channel stops where the credits end.


def open_channel(scene, credits):
    link, sender = scene.link, scene.role
    own, peer = 0x40 + scene.random.randrange(8), 0x50 + scene.random.randrange(8)
    identifier = link.signal(sender, 0x14, struct.pack("<HHHHH", 0x80 + scene.random.randrange(32), own, 512, 64, 10))
    link.signal(1 - sender, 0x15, struct.pack("<HHHHH", peer, 512, 64, credits, 0), identifier)
    return own, peer


def send_sdu(scene, channel, size, frames):
    """The first K-frames of an SDU."""
    content = struct.pack("<H", size) + scene.random.randbytes(size)
    for number in range(frames):
        piece = content[number * 64 : number * 64 + 64]
        if piece:
            scene.link.l2cap(scene.role, channel, piece)


def run_out(scene, grants):
    scene.begin()
    scene.meet()
    credits = scene.random.randint(1, 4)
    own, peer = open_channel(scene, credits)
    send_sdu(scene, peer, 400, credits)
    rest = 7 - credits
    if grants and rest > 2:
        given = scene.random.randint(1, rest - 1)
        scene.link.signal(1 - scene.role, 0x16, struct.pack("<HH", peer, given))
        for _ in range(given):
            scene.link.l2cap(scene.role, peer, scene.random.randbytes(64))
    scene.link.idle(scene.random.uniform(8, 20))


@fault("credits_exhausted")
def first_credits(scene):
    run_out(scene, False)
    scene.close(scene.role)


@fault("credits_exhausted")
def later_credits(scene):
    run_out(scene, True)
    scene.close(scene.role)


@fault("credits_exhausted")
def never_closed(scene):
    run_out(scene, False)


# request_timeout: 30 s without a response (Vol 3, Part F, 3.3.3).


def time_out(scene, pdu, side=CENTRAL):
    scene.link.att(side, pdu)
    scene.link.idle(scene.random.uniform(30.5, 35))
    scene.close(side)


@fault("request_timeout")
def read(scene):
    scene.open()
    scene.chat(1)
    time_out(scene, struct.pack("<BH", 0x0A, scene.handle("settings")))


@fault("request_timeout")
def write(scene):
    scene.open()
    time_out(scene, struct.pack("<BH", 0x12, scene.handle("control")) + b"\x01")


@fault("request_timeout")
def discovery(scene):
    scene.begin()
    scene.meet()
    scene.client.discover(is_partial=True)
    service = scene.server.services[-1]
    time_out(scene, struct.pack("<BHHH", 0x08, service.handle, service.group_end, 0x2803))


@fault("request_timeout")
def indication(scene):
    scene.open()
    scene.client.subscribe(scene.server.characteristics["control"])
    time_out(scene, struct.pack("<BH", 0x1D, scene.handle("control")) + b"\x01", PERIPHERAL)


# requests_overlapped


def overlap(scene):
    scene.open()
    scene.chat(1)
    first = struct.pack("<BH", 0x0A, scene.handle("name"))
    scene.link.att(CENTRAL, first, wait=False)
    scene.link.att(CENTRAL, struct.pack("<BH", 0x0A, scene.handle("settings")))
    return first


@fault("requests_overlapped")
def second_dropped(scene):
    first = overlap(scene)
    scene.client.respond(scene.server.respond(first))
    scene.link.idle(scene.random.uniform(30.5, 33))
    scene.close(CENTRAL)


@fault("requests_overlapped")
def server_ends(scene):
    overlap(scene)
    scene.link.idle(0.3)
    scene.link.disconnect(PERIPHERAL)


@fault("requests_overlapped")
def none_answered(scene):
    overlap(scene)
    scene.link.idle(scene.random.uniform(30.5, 33))
    scene.close(CENTRAL)


# prepare_queue_full


def fill(scene, end):
    scene.server.prepare_limit = scene.random.randint(1, 4)
    scene.open()
    for number in range(6):
        pdu = struct.pack("<BHH", 0x16, scene.handle("settings"), number * 18) + scene.random.randbytes(18)
        if scene.client.request(pdu)[0] == 0x01:
            break
    end(scene)


@fault("prepare_queue_full")
def cancelled(scene):
    fill(scene, lambda scene: scene.client.request(b"\x18\x00"))
    scene.leave()


@fault("prepare_queue_full")
def left(scene):
    fill(scene, lambda scene: scene.link.idle(1))
    scene.close(CENTRAL)


@fault("prepare_queue_full")
def tried_again(scene):
    fill(scene, lambda scene: scene.client.request(b"\x18\x00"))
    pdu = struct.pack("<BHH", 0x16, scene.handle("settings"), 0) + b"again"
    scene.server.prepare_limit = 0
    scene.client.request(pdu)
    scene.client.request(b"\x18\x00")
    scene.leave()
