"""Faults of GATT: subscriptions, handles, lengths, permissions, errors of the application."""

import struct

from sessions.link import CENTRAL

from .scene import fault


def read_request(handle):
    return struct.pack("<BH", 0x0A, handle)


def write_request(handle, value):
    return struct.pack("<BH", 0x12, handle) + value


def data(scene):
    return scene.server.characteristics["data"]


def use(scene):
    """Subscribes and receives."""
    scene.client.subscribe(data(scene))
    scene.notify()


def again(scene, discovers=False):
    scene.close()
    scene.session.wait(scene.random.uniform(0.5, 3))
    scene.meet(scan=False)
    if discovers:
        scene.discover()


# cccd_never_written


@fault("cccd_never_written")
def improperly_configured(scene):
    """The control point answers that its CCCD does not allow an indication (0xFD)."""
    scene.open()
    scene.chat(2)
    scene.client.error(write_request(scene.handle("control"), b"\x01\x02"), 0xFD)
    scene.leave()


@fault("cccd_never_written")
def other_one_written(scene):
    scene.open()
    use(scene)
    scene.client.error(write_request(scene.handle("control"), b"\x05"), 0xFD)
    scene.leave()


@fault("cccd_never_written")
def waits_in_vain(scene):
    """The client commands the device and waits for the indication that answers."""
    scene.open()
    for _ in range(2):
        scene.client.write(scene.handle("control"), b"\x01\x02")
        scene.link.idle(scene.random.uniform(6, 12))
    scene.close(CENTRAL)


# cccd_wrong_handle


@fault("cccd_wrong_handle")
def value_handle(scene):
    scene.open()
    scene.client.write(data(scene).value, b"\x01\x00")
    scene.link.idle(scene.random.uniform(3, 6))
    scene.close(CENTRAL)


@fault("cccd_wrong_handle")
def declaration_handle(scene):
    scene.open()
    scene.client.write(data(scene).declaration, b"\x01\x00")
    scene.link.idle(scene.random.uniform(3, 6))
    scene.close(CENTRAL)


@fault("cccd_wrong_handle")
def handle_after(scene):
    scene.open()
    found = scene.server.characteristics["data"]
    scene.client.write(found.end + 1, b"\x01\x00")
    scene.link.idle(scene.random.uniform(3, 6))
    scene.close(CENTRAL)


# subscription_lost


@fault("subscription_lost")
def not_renewed(scene):
    scene.open()
    use(scene)
    again(scene)
    scene.chat(2)
    scene.link.idle(scene.random.uniform(8, 15))
    scene.close(CENTRAL)


def forget(scene):
    for found in scene.server.characteristics.values():
        if found.cccd:
            scene.server.find(found.cccd).value = b"\0\0"


@fault("subscription_lost")
def read_as_zero(scene):
    scene.open()
    use(scene)
    forget(scene)
    again(scene)
    scene.link.idle(scene.random.uniform(3, 6))
    scene.client.read(data(scene).cccd)
    scene.close(CENTRAL)


@fault("subscription_lost", allowed=("supervision_timeout",))
def after_loss(scene):
    scene.open()
    use(scene)
    scene.link.lose(1)
    scene.session.wait(1)
    scene.meet()
    scene.chat(2)
    scene.link.idle(scene.random.uniform(8, 15))
    scene.close(CENTRAL)


# stale_handles and service_changed_ignored: the table moves.


def move(scene):
    """The table of another firmware: the last service is elsewhere. Returns the old handle of the settings."""
    old = scene.handle("settings")
    shift = 64
    first = scene.server.services[-1].handle
    for attribute in scene.server.attributes:
        if attribute.handle >= first:
            attribute.handle += shift
    scene.server.services[-1].group_end += shift
    return old, first, first + 40


@fault("stale_handles")
def invalid_handle(scene):
    scene.open()
    scene.chat(2)
    scene.client.read(scene.handle("settings"))
    old, _, _ = move(scene)
    again(scene)
    scene.client.read(old)
    scene.client.write(old, b"\x01")
    scene.leave()


@fault("stale_handles")
def subscribes_by_old_handle(scene):
    scene.open()
    use(scene)
    move(scene)
    again(scene)
    scene.client.write(data(scene).cccd, b"\x01\x00")
    scene.leave()


@fault("stale_handles")
def database_out_of_sync(scene):
    scene.open()
    scene.chat(2)
    again(scene)
    scene.client.error(read_request(scene.handle("settings")), 0x12)
    scene.leave()


def ignore_change(scene):
    scene.open()
    scene.client.subscribe(scene.server.characteristics["changed"])
    scene.client.read(scene.handle("settings"))
    old, first, last = move(scene)
    scene.client.indicate(scene.handle("changed"), struct.pack("<HH", first, 0xFFFF))
    scene.link.idle(scene.random.uniform(0.2, 1))
    return old


@fault("service_changed_ignored")
def reads_on(scene):
    old = ignore_change(scene)
    scene.client.read(old)
    scene.leave()


@fault("service_changed_ignored")
def writes_on(scene):
    old = ignore_change(scene)
    for _ in range(2):
        scene.client.write(old, b"\x02")
    scene.leave()


@fault("service_changed_ignored")
def subscribes_on(scene):
    ignore_change(scene)
    scene.client.write(data(scene).cccd, b"\x01\x00")
    scene.leave()


# mtu_too_small and notification_truncated


def small(scene, own=23):
    scene.server.own_mtu = own
    scene.begin()
    scene.meet()
    scene.discover(exchanges=own > 23)


@fault("mtu_too_small")
def no_exchange(scene):
    """20 bytes of a longer message; the server wants it in one piece."""
    small(scene)
    scene.client.error(write_request(scene.handle("settings"), scene.random.randbytes(20)), 0x0D)
    scene.leave()


@fault("mtu_too_small")
def server_allows_23(scene):
    scene.server.own_mtu = 23
    scene.begin()
    scene.meet()
    scene.discover(exchanges=True, mtu=247)
    scene.client.error(write_request(scene.handle("settings"), scene.random.randbytes(20)), 0x0D)
    scene.leave()


@fault("mtu_too_small")
def exceeds_mtu(scene):
    """A request longer than ATT_MTU: Invalid PDU."""
    small(scene)
    scene.client.error(write_request(scene.handle("settings"), scene.random.randbytes(60)), 0x04)
    scene.leave()


def truncate(scene, own, exchanges):
    scene.server.own_mtu = own
    value = scene.random.randbytes(own + scene.random.randint(10, 60))
    scene.server.find(scene.handle("data")).value = value
    scene.begin()
    scene.meet()
    scene.discover(exchanges=exchanges)
    scene.client.subscribe(data(scene))
    scene.client.notify(scene.handle("data"), value[: scene.server.mtu - 3])
    scene.client.read_long(scene.handle("data"))
    scene.leave()


@fault("notification_truncated")
def default_mtu(scene):
    truncate(scene, 23, False)


@fault("notification_truncated")
def exchanged_23(scene):
    truncate(scene, 23, True)


@fault("notification_truncated")
def exchanged_larger(scene):
    truncate(scene, scene.random.choice((48, 65, 100)), True)


# attribute_not_found: not the end of a discovery.


@fault("attribute_not_found")
def service_missing(scene):
    scene.begin()
    scene.meet()
    uuid = scene.random.choice((0x180D, 0x1809, 0x1816))
    scene.client.request(struct.pack("<BHHHH", 0x06, 1, 0xFFFF, 0x2800, uuid))
    scene.close(CENTRAL)


@fault("attribute_not_found")
def vendor_service_missing(scene):
    scene.begin()
    scene.meet()
    scene.client.exchange_mtu()
    scene.client.request(struct.pack("<BHHH", 0x06, 1, 0xFFFF, 0x2800) + scene.random.randbytes(16))
    scene.close(CENTRAL)


@fault("attribute_not_found")
def value_by_uuid(scene):
    scene.open()
    uuid = scene.random.choice((0x2A37, 0x2A1C, 0x2A25))
    scene.client.request(struct.pack("<BHHH", 0x08, 1, 0xFFFF, uuid))
    scene.leave()


# write_not_permitted, value_rejected, application_error


@fault("write_not_permitted")
def read_only(scene):
    scene.open()
    scene.client.write(scene.handle("battery"), b"\x64")
    scene.leave()


@fault("write_not_permitted")
def name_read_only(scene):
    scene.open()
    scene.chat(1)
    scene.client.write(scene.handle("name"), b"Mine")
    scene.leave()


@fault("write_not_permitted")
def prepared(scene):
    scene.open()
    scene.client.request(struct.pack("<BHH", 0x16, scene.handle("name"), 0) + b"A longer name")
    scene.leave()


def write_fails(cause, way, code, size):
    @fault(cause, way)
    def plant(scene):
        scene.open()
        scene.chat(2)
        scene.client.error(write_request(scene.handle("settings"), scene.random.randbytes(size)), code)
        scene.leave()


write_fails("value_rejected", "length", 0x0D, 3)
write_fails("value_rejected", "value_not_allowed", 0x13, 2)
write_fails("value_rejected", "out_of_range", 0xFF, 1)
write_fails("application_error", "write_0x80", 0x80, 2)
write_fails("application_error", "write_0x9f", 0x9F, 4)


@fault("application_error")
def read_0x81(scene):
    scene.open()
    scene.client.error(read_request(scene.handle("settings")), 0x81)
    scene.leave()


@fault("application_error")
def control_point(scene):
    scene.open()
    scene.client.subscribe(scene.server.characteristics["control"])
    scene.client.error(write_request(scene.handle("control"), b"\x07"), scene.random.randrange(0x80, 0xA0))
    scene.leave()

