"""A twin on the virtual controllers of Android's emulator, by Bumble's bridge.

Bumble stands for netsim too: it serves the protocol (PacketStreamer, gRPC) by which the emulator and its tools get a
controller, and the controller behind it is gattbench's own.
"""

import asyncio
import socket
import sys

import gattbench
import pytest
from gattbench import aio

pytest.importorskip("bumble", reason="Bumble is not installed")
pytest.importorskip("grpc", reason="gRPC is not installed: bumble[android]")

from bumble.bridge import HCI_Bridge  # noqa: E402
from bumble.transport import open_transport  # noqa: E402
from test_bumble import STATUS, THERMOSTAT, characteristic, connected  # noqa: E402


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


async def bridge(host, controller):
    """What `bumble-hci-bridge HOST CONTROLLER` does, when both sides are open."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-u", "-m", "bumble.apps.hci_bridge", host, controller, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    for _ in range(2):
        while (line := await asyncio.wait_for(process.stdout.readline(), 30)) != b">>> connected\n":
            assert line, "the bridge has ended"
    return process


def test_a_twin_on_a_controller_of_netsim():
    netsim, hci = free_ports(2)

    async def body(radio):
        async with (
            await open_transport(f"android-netsim:127.0.0.1:{netsim},mode=controller") as (host, host_sink),
            await open_transport(radio.take()) as (controller, controller_sink),
        ):
            HCI_Bridge(host, host_sink, controller, controller_sink)
            process = await bridge(f"tcp-server:127.0.0.1:{hci}", f"android-netsim:127.0.0.1:{netsim}")
            try:
                async with (
                    aio.twin(THERMOSTAT, transport=f"tcp-client:127.0.0.1:{hci}") as device,
                    connected(radio.take(), device.address) as (_, _, peer),
                ):
                    await device.set("status.level", 42)
                    return await characteristic(peer, STATUS).read_value()
            finally:
                process.terminate()
                await process.wait()

    with gattbench.Radio(2) as radio:
        assert asyncio.run(body(radio)) == bytes([0xD7, 0, 42])
