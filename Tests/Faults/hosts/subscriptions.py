"""Clients that do not subscribe, or subscribe at the wrong place; values that do not fit."""

import struct

from bumble.att import ATT_Error, ATT_Write_Request
from bumble.gatt import GATT_SERVICE_CHANGED_CHARACTERISTIC

from .attributes import ask, remove_service
from .scene import CENTRAL, fault


@fault("procedure_without_cccd", "cccd_never_written")
async def procedure_without_cccd(scene):
    """The server refuses a control point whose indications are off: Client Characteristic Configuration
    Descriptor Improperly Configured."""
    await scene.open()
    await scene.chat(1)
    scene.refusals["control", "write"] = 0xFD
    await scene.attempt(scene.remote("control").write_value(b"\x01", with_response=True))
    await scene.leave()


@fault("control_point_without_indication", "cccd_never_written")
async def control_point_without_indication(scene):
    """The server has an indication for the client, which has never subscribed."""
    await scene.open()
    await scene.remote("control").write_value(b"\x01", with_response=True)
    await scene.peripheral.indicate_subscriber(scene.served, scene.control, b"\x01\x00")
    await scene.idle(5, 10)
    await scene.close(CENTRAL)


def subscribe_at(way, offset):
    """The client writes 0x0001 at a distance of the value's handle."""

    @fault(way, "cccd_wrong_handle")
    async def plant(scene):
        await scene.open()
        await ask(scene, ATT_Write_Request(
            attribute_handle=scene.remote("data").handle + offset, attribute_value=b"\x01\x00"
        ))
        await scene.notify(3)
        await scene.idle(3, 6)
        await scene.close(CENTRAL)


subscribe_at("subscribed_at_value", 0)
subscribe_at("subscribed_at_declaration", -1)
subscribe_at("subscribed_after_cccd", 2)


@fault("subscription_not_renewed", "subscription_lost")
async def subscription_not_renewed(scene):
    """Without a bond the server forgets the subscription with the connection; the client believes in it."""
    await scene.open()
    await scene.subscribe("data")
    await scene.notify()
    await scene.close()
    await scene.meet()
    await scene.discover()
    await scene.notify()
    await scene.chat(2)
    await scene.idle(8, 15)
    await scene.close(CENTRAL)


@fault("default_mtu", "notification_truncated")
async def default_mtu(scene):
    """The client does not exchange the MTU, and Bumble's server cuts the notification."""
    await scene.begin()
    await scene.meet()
    await scene.discover(mtu=False)
    await scene.subscribe("data")
    value = scene.values["data"] = scene.random.randbytes(scene.random.randint(30, 80))
    await scene.peripheral.notify_subscriber(scene.served, scene.data, value)
    await scene.idle(0.3, 1)
    if await scene.remote("data").read_value() != value:
        raise RuntimeError("the long read is incomplete")
    await scene.leave()


@fault("value_cut_to_default_mtu", "mtu_too_small")
async def value_cut_to_default_mtu(scene):
    """The client does not exchange the MTU, and cuts what it writes; the server wants all of it."""
    await scene.begin()
    await scene.meet()
    await scene.discover(mtu=False)
    await scene.chat(1)
    scene.refusals["settings", "write"] = 0x0D
    value = scene.random.randbytes(40)[: scene.peer.gatt_client.mtu - 3]
    await scene.attempt(scene.remote("settings").write_value(value, with_response=True), (ATT_Error,))
    await scene.leave()


@fault("indicated_change_ignored", "service_changed_ignored")
async def indicated_change_ignored(scene):
    """The server removes a service and indicates Service Changed; the client confirms and uses the old handles."""
    await scene.open()
    changed = scene.peer.get_characteristics_by_uuid(GATT_SERVICE_CHANGED_CHARACTERISTIC)[0]
    await changed.subscribe(scene.received.append, prefer_notify=False)
    await scene.chat(2)
    handle = scene.remote("settings").handle
    first = remove_service(scene)
    await scene.peripheral.indicate_subscriber(
        scene.served, scene.peripheral.gatt_service.service_changed_characteristic, struct.pack("<HH", first, 0xFFFF)
    )
    await scene.idle(0.2, 2)
    await scene.attempt(scene.peer.gatt_client.read_value(handle))
    await scene.leave()
