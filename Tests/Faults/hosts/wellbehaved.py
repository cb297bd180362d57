"""Sessions that went well."""

from .scene import CENTRAL, fault


@fault("good_use")
async def use(scene):
    await scene.open()
    await scene.chat()
    await scene.close()


@fault("good_subscription")
async def subscription(scene):
    await scene.open()
    await scene.subscribe("data")
    await scene.subscribe("control")
    await scene.notify()
    await scene.remote("control").write_value(b"\x01", with_response=True)
    await scene.peripheral.indicate_subscriber(scene.served, scene.control, b"\x01\x00")
    await scene.close()


async def pairs(scene, method, secure):
    await scene.open()
    scene.pairs_by(method, secure)
    if error := await scene.pair():
        raise error
    await scene.chat()
    await scene.close()


@fault("good_just_works")
async def just_works(scene):
    await pairs(scene, "just_works", scene.random.random() < 0.5)


@fault("good_passkey")
async def passkey(scene):
    await pairs(scene, "passkey", scene.random.random() < 0.5)


@fault("good_numeric_comparison")
async def numeric_comparison(scene):
    await pairs(scene, "numeric", True)


@fault("good_bond")
async def bond(scene):
    await scene.open()
    if error := await scene.pair():
        raise error
    await scene.subscribe("data")
    await scene.notify(3)
    await scene.close()
    await scene.meet()
    await scene.connection.encrypt()
    await scene.discover()
    await scene.subscribe("data")
    await scene.notify(3)
    await scene.chat(2)
    await scene.close(CENTRAL)


@fault("good_parameter_update")
async def parameter_update(scene):
    await scene.open()
    await scene.served.device.l2cap_channel_manager.update_connection_parameters(scene.served, 24, 40, 0, 300)
    await scene.idle(0.5, 1)
    await scene.chat(2)
    await scene.close()
