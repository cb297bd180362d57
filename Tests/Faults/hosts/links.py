"""Connections that end too early or are not made."""

import asyncio

from bumble import hci, l2cap, ll
from bumble.core import AdvertisingData
from bumble.core import ConnectionError as ConnectFailed
from bumble.core import TimeoutError as ConnectTimeout

from .scene import CENTRAL, PERIPHERAL, fault

REMOTE = {"central": "remote_user_terminated", "peripheral": "local_host_terminated", "air": "remote_user_terminated"}


def hang_up(scene, name, count):
    """The server ends the connection instead of answering the request after `count` of them."""
    server = scene.peripheral.gatt_server
    answer = getattr(server, f"on_att_{name}")
    seen = 0

    def patched(bearer, request):
        nonlocal seen
        seen += 1
        if seen <= count:
            answer(bearer, request)
        elif seen == count + 1:
            asyncio.ensure_future(scene.served.disconnect())

    setattr(server, f"on_att_{name}", patched)


async def fails(scene, operation):
    """Awaits an operation that the end of the connection cancels."""
    try:
        await asyncio.wait_for(operation, 20)
    except TimeoutError:
        raise
    except (Exception, asyncio.CancelledError):
        await scene.idle(0.5, 2)
        return
    raise RuntimeError("the operation succeeded")


@fault("ends_in_discovery", **REMOTE)
async def ends_in_discovery(scene):
    await scene.begin()
    await scene.meet()
    hang_up(scene, "read_by_type_request", scene.random.randint(0, 3))
    await fails(scene, scene.discover())


@fault("ends_at_read", **REMOTE)
async def ends_at_read(scene):
    await scene.open()
    await scene.chat(1)
    hang_up(scene, "read_request", 0)
    await fails(scene, scene.remote("settings").read_value())


def end_with(way, cause, reason):
    """The peripheral's host disconnects by the reason, whatever goes on."""

    @fault(way, central=cause, air=cause)
    async def plant(scene):
        await scene.open()
        await scene.chat(scene.random.randint(1, 3))
        await scene.close(PERIPHERAL, reason)


end_with("battery_low", "remote_low_resources", 0x14)
end_with("switched_off", "remote_power_off", 0x15)


async def vanish(scene):
    """The peripheral's radio is off from now on."""
    if scene.radio:
        # The peripheral's host sees nothing of it.
        await scene.transports.pop(PERIPHERAL).close()
        scene.silent.add(PERIPHERAL)
    else:
        scene.link.cut()
    await scene.idle(8, 10)


@fault("out_of_range", "supervision_timeout")
async def out_of_range(scene):
    await scene.open()
    await scene.chat(2)
    await vanish(scene)


@fault("out_of_range_while_notifying", "supervision_timeout")
async def out_of_range_while_notifying(scene):
    await scene.open()
    await scene.subscribe("data")
    await scene.notify(3)
    await vanish(scene)


@fault("connect_ind_lost", central="connection_not_established")
async def connect_ind_lost(scene):
    await scene.begin()
    await scene.advertise()
    scene.link.loses_connect_ind = True
    try:
        await asyncio.wait_for(scene.connect(await scene.scan()), 10)
    except (TimeoutError, asyncio.TimeoutError):
        pass


@fault("update_refused", "unacceptable_parameters")
async def update_refused(scene):
    """The central's host refuses the parameters that the peripheral asks for."""
    await scene.open()
    await scene.chat(1)
    manager = scene.central.l2cap_channel_manager

    def refuse(connection, cid, request):
        manager.send_control_frame(connection, cid, l2cap.L2CAP_Connection_Parameter_Update_Response(
            identifier=request.identifier, result=l2cap.L2CAP_CONNECTION_PARAMETERS_REJECTED_RESULT,
        ))

    manager.on_l2cap_connection_parameter_update_request = refuse
    await scene.peripheral.l2cap_channel_manager.update_connection_parameters(
        scene.served, *scene.random.choice(((6, 6, 0, 100), (800, 1600, 0, 600), (24, 40, 30, 400)))
    )
    await scene.chat(1)
    await scene.close()


def refuse_connection(way, cause, *statuses):
    @fault(way, central=cause)
    async def plant(scene):
        await scene.begin()
        await scene.advertise()
        address = await scene.scan()
        scene.controllers[CENTRAL].refuses_connections = scene.random.choice(statuses)
        await scene.attempt(scene.central.connect(address), (hci.HCI_Error, ConnectFailed))


refuse_connection("controller_full", "controller_limit", 0x07, 0x09, 0x0D)
refuse_connection("command_disallowed", "command_refused", 0x0C)


@fault("nobody_there", central="never_heard")
async def nobody_there(scene):
    """The central connects to a device that is not there."""
    await scene.begin()
    for _ in range(scene.random.randint(1, 2)):
        await scene.attempt(
            scene.central.connect(scene.peripheral.random_address, timeout=scene.random.uniform(5, 20)),
            (ConnectTimeout, TimeoutError),
        )


@fault("stops_advertising", central="advertising_stopped")
async def stops_advertising(scene):
    """The peripheral is reported and then stops, while another device goes on; the central tries to connect."""
    await scene.begin()
    await scene.advertise()
    data = bytes(AdvertisingData([(AdvertisingData.FLAGS, b"\x06"), (AdvertisingData.COMPLETE_LOCAL_NAME, b"Plug")]))
    other = ll.AdvInd(hci.Address.generate_static_address(), data)

    async def advertise_other():
        while True:
            await scene.idle(0.1, 0.11)
            scene.link.send_advertising_pdu(scene.controllers[PERIPHERAL], other)

    advertising = asyncio.ensure_future(advertise_other())
    address = await scene.scan()
    await scene.peripheral.stop_advertising()
    for _ in range(2):
        await scene.central.start_scanning(active=True)
        await scene.idle(3, 6)
        await scene.central.stop_scanning()
        await scene.attempt(
            scene.central.connect(address, timeout=scene.random.uniform(4, 10)), (ConnectTimeout, TimeoutError)
        )
    advertising.cancel()
