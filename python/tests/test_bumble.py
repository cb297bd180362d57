"""A client of Bumble against twins: what a test of an app looks like."""

import asyncio
import time
from contextlib import asynccontextmanager
from pathlib import Path

import gattbench
import pytest
from gattbench import aio

bumble = pytest.importorskip("bumble", reason="Bumble is not installed")

from bumble import hci  # noqa: E402
from bumble.att import ATT_Error  # noqa: E402
from bumble.core import UUID  # noqa: E402
from bumble.device import Device, Peer  # noqa: E402
from bumble.transport import open_transport  # noqa: E402

THERMOSTAT = Path(__file__).with_name("thermostat.yaml")
STATUS = "54484552-4D4F-0000-8000-000000000001"


@asynccontextmanager
async def connected(spec, address):
    """A client that has connected to a device and knows its attributes."""
    async with await open_transport(spec) as (source, sink):
        device = Device.with_hci("Client", hci.Address("F0:00:00:00:00:02"), source, sink)
        await device.power_on()
        connection = await asyncio.wait_for(device.connect(hci.Address(address, hci.Address.PUBLIC_DEVICE_ADDRESS)), 20)
        peer = Peer(connection)
        await peer.discover_all()
        yield device, connection, peer


def characteristic(peer, uuid):
    found = peer.get_characteristics_by_uuid(UUID(uuid))
    assert found, f"there is no {uuid}"
    return found[0]


def test_values_are_set_and_told():
    async def body():
        async with aio.twin(THERMOSTAT) as device, connected(device.spec, device.address) as (_, _, peer):
            status = characteristic(peer, STATUS)
            assert await status.read_value() == bytes([0xD7, 0, 60])
            await device.set("status.level", 42)
            assert await status.read_value() == bytes([0xD7, 0, 42])
            told: asyncio.Queue[bytes] = asyncio.Queue()
            await status.subscribe(told.put_nowait)
            await device.expect("subscribed")
            await device.notify("status", {"temperature": 30, "level": 7})
            assert await asyncio.wait_for(told.get(), 10) == bytes([0x2C, 1, 7])
            return await device.state()

    state = asyncio.run(body())
    assert state["connections"] == 1 and state["values"]["status"] == {"temperature": 30.0, "level": 7}


def test_an_error_is_what_the_client_gets():
    async def body():
        async with aio.twin(THERMOSTAT) as device, connected(device.spec, device.address) as (_, _, peer):
            status = characteristic(peer, STATUS)
            await device.error("status", "insufficient_resources", count=1)
            with pytest.raises(ATT_Error) as refused:
                await status.read_value()
            assert refused.value.error_code == 0x11
            assert await status.read_value() == bytes([0xD7, 0, 60])

    asyncio.run(body())


def test_a_delay_makes_answers_late():
    async def body():
        async with aio.twin(THERMOSTAT) as device, connected(device.spec, device.address) as (_, _, peer):
            status = characteristic(peer, STATUS)
            await device.delay("700 ms")
            began = time.monotonic()
            await status.read_value()
            late = time.monotonic() - began
            await device.delay("0 s")
            await status.read_value()
            return late

    assert asyncio.run(body()) >= 0.7


def test_the_device_disconnects():
    async def body():
        async with aio.twin(THERMOSTAT) as device, connected(device.spec, device.address) as (_, connection, _):
            ended = asyncio.get_running_loop().create_future()
            connection.on("disconnection", lambda reason: ended.set_result(reason))
            await device.disconnect()
            reason = await asyncio.wait_for(ended, 10)
            await device.expect("disconnected")
            return reason

    assert asyncio.run(body()) == hci.HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR


@pytest.mark.gattbench(require=["aquavate"], role="peripheral")
def test_a_client_reads_what_was_drunk(gattbench_twin):
    """A synchronous test with the fixture; the mark checks the traffic when the body has passed."""
    puck = gattbench_twin("aquavate", water=400, quirks="fixed")

    async def read():
        async with connected(puck.spec, puck.address) as (_, _, peer):
            battery = peer.get_characteristics_by_uuid(UUID(0x2A19))[0]
            return await battery.read_value()

    puck.do("sip", ml=50)
    puck.advance("10 s")
    puck.expect("drink_stored", amount=50, within=20)
    level = asyncio.run(read())
    puck.expect("disconnected", within=10)
    assert len(level) == 1
    assert puck.capture.stat().st_size > 1000
    frames = gattbench.decode(puck.capture, ["gatt.characteristic"], filter="btatt.opcode == 0x0b").read_all()
    assert "Battery Level" in frames["gatt.characteristic"].to_pylist()
