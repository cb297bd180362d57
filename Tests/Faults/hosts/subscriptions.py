"""Clients that do not subscribe, or subscribe at the wrong place; values that do not fit."""

from bumble.att import ATT_Error, ATT_Write_Request

from .attributes import ask
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
