"""Faults of the link: loss, ends by either side, instants, parameters, limits of the controller."""

import struct

from sessions.link import CENTRAL, CONTROL, PERIPHERAL, REJECT_EXT, Item
from sessions.smp import Pairing

from .scene import AS_CENTRAL, AS_PERIPHERAL, BOTH, HCI, fault


# supervision_timeout: one side is no longer heard, and the other ends after the time-out.


def vanish(scene, side=None):
    """The remote side is gone; on the air a lost central is shown by the peripheral, which advertises again."""
    link = scene.link
    side = scene.random.choice((CENTRAL, PERIPHERAL)) if side is None else side
    link.lose(side)
    if side == CENTRAL or scene.random.random() < 0.5:
        scene.session.advertise_on_air(scene.peripheral, scene.session.time + 2_000_000)
        scene.session.wait(2)


@fault("supervision_timeout")
def idle(scene):
    scene.open()
    scene.chat()
    scene.link.idle(scene.random.uniform(0.5, 3))
    vanish(scene)


@fault("supervision_timeout")
def pending_request(scene):
    scene.open()
    scene.chat(2)
    if scene.role == CENTRAL:
        scene.client.link.att(CENTRAL, struct.pack("<BH", 0x0A, scene.handle("settings")), wait=False)
    else:
        scene.client.link.att(PERIPHERAL, struct.pack("<BH", 0x1B, scene.handle("battery")) + b"\x32", wait=False)
    vanish(scene, PERIPHERAL)


@fault("supervision_timeout")
def fading(scene):
    scene.open()
    scene.client.subscribe(scene.server.characteristics["data"])
    scene.notify(4)
    scene.link.loss = 0.5
    low, high = scene.link.air_peer[PERIPHERAL]
    for step in range(4):
        scene.rssi(-70 - 7 * step)
        scene.link.air_peer[PERIPHERAL] = [-80 - 5 * step, -76 - 5 * step]
        scene.notify(2)
    vanish(scene, PERIPHERAL)


@fault("supervision_timeout")
def second_connection(scene):
    scene.open()
    scene.chat()
    scene.close()
    scene.session.wait(scene.random.uniform(0.5, 3))
    scene.meet(scan=False)
    scene.client.subscribe(scene.server.characteristics["data"])
    scene.notify()
    vanish(scene)


# connection_not_established: CONNECT_IND, and nothing from the other side in six intervals.


def fail_to_establish(scene, form):
    session = scene.session
    link = session.connect(scene.peer, established=False)
    session.time = max(session.time, link.time)
    session.next_handle -= form == "complete"
    if form == "disconnect":
        session.report_connection(0, link.handle, scene.role, scene.peer, link.interval, link.latency, link.timeout)
    for _ in range(6):
        link.event()
    session.time = link.time
    link.ended = True
    if form == "disconnect":
        link.report_end(0x3E)
    else:
        session.report_connection(0x3E, 0 if scene.random.random() < 0.5 else link.handle, scene.role, scene.peer,
                                  link.interval, link.latency, link.timeout)
    session.advertise_on_air(scene.peripheral, session.time + 1_000_000)
    session.wait(1)


@fault("connection_not_established", "disconnected_at_once")
def disconnected_at_once(scene):
    scene.begin()
    scene.look_around()
    fail_to_establish(scene, "disconnect")


@fault("connection_not_established", roles=AS_CENTRAL)
def complete_with_error(scene):
    scene.begin()
    scene.look_around()
    fail_to_establish(scene, "complete")


@fault("connection_not_established")
def twice(scene):
    scene.begin()
    for _ in range(2):
        fail_to_establish(scene, "disconnect")
        scene.session.wait(scene.random.uniform(0.1, 1))


@fault("connection_not_established")
def then_success(scene):
    scene.begin()
    scene.look_around()
    fail_to_establish(scene, "disconnect")
    scene.session.wait(scene.random.uniform(0.1, 1))
    scene.meet(scan=False)
    scene.discover()
    scene.chat()
    scene.close()


# Ends by either side with a procedure open, and ends that state a reason.


def leave_discovery_open(scene):
    """A discovery whose last request has no response."""
    scene.begin()
    scene.meet()
    scene.client.exchange_mtu()
    scene.client.discover(is_partial=True)
    service = scene.server.services[-1]
    scene.client.request(struct.pack("<BHHH", 0x08, service.handle, service.group_end, 0x2803), is_answered=False)


def leave_read_open(scene):
    scene.open()
    scene.chat()
    scene.client.request(struct.pack("<BH", 0x0A, scene.handle("settings")), is_answered=False)


def leave_write_open(scene):
    scene.open()
    scene.chat()
    scene.client.request(struct.pack("<BH", 0x12, scene.handle("settings")) + b"\x01", is_answered=False)


def leave_pairing_open(scene):
    scene.open()
    step = scene.random.choice(("response", "public_key", "random"))
    Pairing(scene.link, scene.random.choice(("just_works", "numeric")), stop={step: (0, None)}).run()


OPEN = {
    "in_discovery": (leave_discovery_open, AS_CENTRAL),
    "in_read": (leave_read_open, AS_CENTRAL),
    "in_write": (leave_write_open, AS_CENTRAL),
    "in_pairing": (leave_pairing_open, (CENTRAL, PERIPHERAL)),
}


def end_open(cause, views, local):
    for way, (leave_open, roles) in OPEN.items():

        def plant(scene, leave_open=leave_open):
            leave_open(scene)
            scene.link.idle(scene.random.uniform(0.2, 2))
            side = scene.role if local else scene.remote
            if scene.view == "air" and leave_open is not leave_pairing_open:
                side = PERIPHERAL
            scene.link.disconnect(side)

        fault(cause, way, views, roles)(plant)


end_open("remote_user_terminated", BOTH, local=False)
end_open("local_host_terminated", HCI, local=True)


def ends_with(cause, reason):
    @fault(cause, "idle")
    def after_use(scene):
        scene.open()
        scene.chat()
        scene.link.idle(scene.random.uniform(0.2, 3))
        scene.link.disconnect(scene.remote, reason)

    @fault(cause, "while_notifying")
    def while_notifying(scene):
        scene.open()
        scene.client.subscribe(scene.server.characteristics["data"])
        scene.notify()
        scene.link.disconnect(scene.remote, reason)

    @fault(cause, "after_connecting")
    def after_connecting(scene):
        scene.begin()
        scene.meet()
        scene.link.disconnect(scene.remote, reason)

    @fault(cause, "in_read")
    def in_read(scene):
        leave_read_open(scene)
        scene.link.disconnect(scene.remote if scene.view == "hci" else PERIPHERAL, reason)


ends_with("remote_low_resources", 0x14)
ends_with("remote_power_off", 0x15)


# instant_passed: an LL control PDU whose instant is over when the peripheral receives it.


def channel_map(link, instant):
    used = [n for n in range(37) if link.session.random.random() < 0.7] or [1, 2, 3]
    mask = sum(1 << n for n in used).to_bytes(5, "little")
    return 0x01, mask + struct.pack("<H", instant), lambda: setattr(link, "map", used)


def connection_update(link, instant):
    interval = link.interval * 2
    data = struct.pack("<BHHHHH", 2, 0, interval, 0, link.timeout, instant)
    return 0x00, data, lambda: setattr(link, "interval", interval)


def phy_update(link, instant):
    # The 1M PHY stays: only the instant is of interest.
    return 0x18, struct.pack("<BBH", 1, 1, instant), lambda: None


def pass_instant(scene, make):
    scene.open()
    scene.chat(2)
    link = scene.link
    link.catch_up()
    while link.is_busy():
        link.event()
    instant = (link.count + scene.random.randint(6, 9)) & 0xFFFF
    opcode, data, change = make(link, instant)
    link.at_event[instant] = [change]
    link.deaf[PERIPHERAL] = True
    link.queues[CENTRAL].append(Item(CONTROL, bytes([opcode]) + data))
    for _ in range(instant - link.count + scene.random.randint(1, 4)):
        link.event()
    # The peripheral hears it now, and is gone: the last PDU is not acknowledged.
    if scene.role == PERIPHERAL:
        scene.session.time = link.time
        link.report_end(0x28)
    link.gone[PERIPHERAL] = True
    reason = {PERIPHERAL: None, CENTRAL: 0x28}[scene.role]
    link.expire(reason)


for name, make in (("channel_map", channel_map), ("connection_update", connection_update), ("phy_update", phy_update)):
    fault("instant_passed", name, BOTH, AS_PERIPHERAL)(lambda scene, make=make: pass_instant(scene, make))


@fault("instant_passed")
def terminated(scene):
    """The peripheral states the reason in LL_TERMINATE_IND, as some controllers do."""
    scene.open()
    scene.chat(2)
    link = scene.link
    opcode, data, _ = scene.random.choice((channel_map, connection_update))(link, (link.count - 3) & 0xFFFF)
    link.control(CENTRAL, opcode, data)
    link.disconnect(PERIPHERAL if scene.view == "air" else scene.remote, 0x28)


# unacceptable_parameters


def update_request(scene, result):
    parameters = struct.pack("<HHHH", 6, 6, 0, scene.random.choice((50, 100)))
    identifier = scene.link.signal(PERIPHERAL, 0x12, parameters)
    scene.link.idle(0.1)
    scene.link.signal(CENTRAL, 0x13, struct.pack("<H", result), identifier)


@fault("unacceptable_parameters")
def request_rejected(scene):
    scene.open()
    scene.chat()
    update_request(scene, 1)
    scene.chat()
    scene.leave()


@fault("unacceptable_parameters")
def rejected_and_ended(scene):
    scene.open()
    scene.chat()
    for _ in range(scene.random.randint(1, 2)):
        update_request(scene, 1)
        scene.link.idle(scene.random.uniform(0.5, 2))
    scene.link.disconnect(PERIPHERAL, 0x3B)


@fault("unacceptable_parameters")
def peer_ends(scene):
    scene.open()
    scene.chat()
    scene.link.idle(scene.random.uniform(0.5, 2))
    scene.link.disconnect(scene.remote, 0x3B)


@fault("unacceptable_parameters", roles=AS_CENTRAL)
def procedure_rejected(scene):
    """LL_CONNECTION_PARAM_REQ is rejected; the host sees LE Connection Update Complete with the error."""
    scene.open()
    scene.chat()
    link, session = scene.link, scene.session
    low = scene.random.choice((6, 8, 400))
    session.command(0x2013, struct.pack("<HHHHHHH", link.handle, low, low, 0, 600, 0, 0), is_status=True)
    data = struct.pack("<HHHHBH", low, low, 0, 600, 0, link.count) + b"\xff" * 12
    link.control(CENTRAL, 0x0F, data)
    link.control(PERIPHERAL, REJECT_EXT, bytes([0x0F, 0x3B]))
    session.event(session.time + 200, 0x3E,
                  struct.pack("<BBHHHH", 3, 0x3B, link.handle, link.interval, link.latency, link.timeout))
    scene.chat()
    scene.leave()


# controller_limit and command_refused: the host's own controller refuses.


def refuse_connection(scene, status):
    scene.begin()
    scene.look_around()
    scene.session.create_connection(scene.peer, status=status)
    scene.session.wait(scene.random.uniform(0.5, 2))


@fault("controller_limit", views=HCI, roles=AS_CENTRAL)
def connection_limit(scene):
    refuse_connection(scene, 0x09)


@fault("controller_limit", views=HCI, roles=AS_CENTRAL)
def limited_resources(scene):
    refuse_connection(scene, 0x0D)


@fault("controller_limit", views=HCI, roles=AS_CENTRAL)
def complete_with_limit(scene):
    scene.begin()
    scene.look_around()
    scene.session.create_connection(scene.peer)
    scene.session.wait(0.2)
    scene.session.report_connection(0x09, 0, CENTRAL, scene.peer, 0, 0, 0)


@fault("controller_limit", views=HCI, roles=AS_CENTRAL)
def accept_list_full(scene):
    scene.begin()
    scene.look_around()
    for device in scene.strangers:
        scene.session.command(0x2011, bytes([device.type]) + device.address)
    scene.session.command(0x2011, bytes([scene.peer.type]) + scene.peer.address, 0x07)
    scene.session.wait(1)


@fault("controller_limit", views=HCI, roles=AS_CENTRAL)
def resolving_list_full(scene):
    scene.begin()
    entry = bytes([scene.peer.type]) + scene.peer.identity + scene.peer.irk[::-1] + scene.session.host.irk[::-1]
    scene.session.command(0x2027, entry, 0x07)
    scene.session.wait(1)


@fault("controller_limit", views=HCI, roles=AS_PERIPHERAL)
def advertising_sets(scene):
    scene.begin()
    body = struct.pack("<BH", 4, 0x13) + (0xA0).to_bytes(3, "little") * 2 + bytes([7, scene.session.host.type]) + bytes(7)
    body += bytes([0, 0x7F, 1, 0, 1, 0, 0])
    scene.session.command(0x2036, body, 0x07, returns=b"\x00")
    scene.session.wait(1)


@fault("command_refused", views=HCI, roles=AS_CENTRAL)
def connection_disallowed(scene):
    refuse_connection(scene, 0x0C)


@fault("command_refused", views=HCI, roles=AS_CENTRAL)
def connection_invalid(scene):
    refuse_connection(scene, 0x12)


@fault("command_refused", views=HCI, roles=AS_CENTRAL)
def scan_disallowed(scene):
    scene.begin()
    if scene.session.uses_extended:
        scene.session.command(0x2042, struct.pack("<BBHH", 1, 1, 0, 0), 0x0C)
    else:
        scene.session.command(0x200C, b"\x01\x01", 0x0C)
    scene.session.wait(1)


@fault("command_refused", views=HCI, roles=AS_PERIPHERAL)
def advertising_invalid(scene):
    scene.begin()
    session = scene.session
    session.command(0x2006, struct.pack("<HHBB", 0x10, 0x08, 0, session.host.type) + bytes(7) + bytes([7, 0]), 0x12)
    session.command(0x200A, b"\x01", 0x0C)
    session.wait(1)


@fault("command_refused", views=HCI, roles=AS_PERIPHERAL)
def advertising_unknown(scene):
    scene.begin()
    body = struct.pack("<BH", 0, 0x13) + (0xA0).to_bytes(3, "little") * 2 + bytes([7, scene.session.host.type]) + bytes(7)
    body += bytes([0, 0x7F, 1, 0, 1, 0, 0])
    scene.session.command(0x2036, body, 0x01, returns=b"\x00")
    scene.session.wait(1)


@fault("command_refused", views=HCI)
def phy_unsupported(scene):
    scene.open()
    scene.session.command(0x2032, struct.pack("<HBBBH", scene.link.handle, 0, 2, 2, 0), scene.random.choice((0x01, 0x11)),
                          is_status=True)
    scene.chat()
    scene.leave()
