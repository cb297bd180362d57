"""Senders that wait for credits or for their controller."""

from bumble.controller import Connection
from bumble.l2cap import LeCreditBasedChannelSpec

from .scene import CENTRAL, fault


async def open_channel(scene):
    """A credit-based channel from the central; its server's end and its own."""
    credits = scene.random.randint(2, 6)
    spec = LeCreditBasedChannelSpec(psm=0x80 + scene.random.randrange(32), mtu=512, mps=64, max_credits=credits)
    accepted = []
    scene.peripheral.create_l2cap_server(spec, accepted.append)
    channel = await scene.connection.create_l2cap_channel(spec)
    accepted[0].sink = scene.received.append
    return accepted[0], channel


@fault("good_channel")
async def good_channel(scene):
    await scene.open()
    _, channel = await open_channel(scene)
    for _ in range(scene.random.randint(1, 4)):
        channel.write(scene.random.randbytes(scene.random.randint(20, 500)))
        await channel.drain()
        await scene.idle(0.3, 1)
    await channel.disconnect()
    await scene.close()


@fault("credits_never_given", "credits_exhausted")
async def credits_never_given(scene):
    """The server gives no credits for what it has received; an SDU stays incomplete."""
    await scene.open()
    server, channel = await open_channel(scene)
    server.peer_credits_threshold = -1
    channel.write(scene.random.randbytes(64 * channel.credits + scene.random.randint(20, 100)))
    await scene.idle(5, 12)
    await scene.close(CENTRAL)


@fault("completions_lost", central="acl_buffers_stuck")
async def completions_lost(scene):
    """The central's controller no longer reports completed packets, until its host may send no more."""
    await scene.begin()
    await scene.meet()
    await scene.discover()
    value = scene.remote("settings")
    for _ in range(scene.random.randint(3, 8)):
        await value.write_value(scene.random.randbytes(12))
    await scene.idle(0.5, 1)

    class Silent(Connection):
        def on_hci_acl_data_packet(self, packet):
            self.assembler.feed_packet(packet)

    for connection in scene.controllers[CENTRAL].le_connections.values():
        connection.__class__ = Silent
    for _ in range(scene.controllers[CENTRAL].total_num_le_acl_data_packets + 5):
        await value.write_value(scene.random.randbytes(12))
        await scene.idle(0.5e-3, 5e-3)
    await scene.idle(6, 20)
    await scene.close(CENTRAL)
