"""Twins that tests control, without a client or with the plugin's own."""

import asyncio
import os
import select
import subprocess
import sys
import time

import gattbench
import pytest
from gattbench import aio

RADIO = {"transport": "radio:", "seed": 7}


def test_a_sip_is_stored():
    with gattbench.twin("aquavate", water=400, **RADIO) as puck:
        puck.do("sip", ml=50)
        event = puck.expect("drink_stored", amount=50, within=15)
        assert event.fields["amount"] == 50 and abs(event.fields["level"] - 350) <= 2
        assert event.source == "device" and event.name == "drink_stored"
        assert any(one == event for one in puck.events)


def test_hours_pass_at_once():
    began = time.monotonic()
    with gattbench.twin("aquavate", **RADIO) as puck:
        before = puck.state["time"]
        puck.advance("8h")
        after = puck.state["time"]
    assert int(after[11:13]) - int(before[11:13]) == 8
    assert time.monotonic() - began < 60


def test_the_state_has_values_and_memory():
    with gattbench.twin("aquavate", water=400, **RADIO) as puck:
        state = puck.state
        assert state["advertising"] and state["connections"] == 0
        assert 0 < state["values"]["battery_level"] <= 100
        assert isinstance(state["storage"], dict)
        assert "Current: " in "\n".join(puck.display or [])
        sip = next(one for one in puck.stimuli["device"] if one["name"] == "sip")
        assert (sip["unit"], sip["from"], sip["to"]) == ("ml", 1, 830)


def test_what_does_not_come_fails_the_test():
    with gattbench.twin("aquavate", **RADIO) as puck:
        puck.do("sip", ml=50)
        with pytest.raises(gattbench.ExpectationFailed, match='"drink_stored" where amount == 60 did not occur within 8'):
            puck.expect("drink_stored", amount=60, within=8)
        puck.never("drink_stored", amount=60, within=1)
        with pytest.raises(gattbench.ExpectationFailed, match="occurred unexpectedly"):
            puck.do("sip", ml=50)
            puck.never("drink_stored", within=15)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda puck: puck.do("spi"), 'there is no "spi"; did you mean "sip"'),
        (lambda puck: puck.do("sip", ml=900), "expected 1 to 830 ml"),
        (lambda puck: puck.do("sip", "50 oz"), "expected 1 to 830 ml"),
        (lambda puck: puck.fault("cut"), "expected drop, duplicate"),
        (lambda puck: puck.fault("drop", on="drink"), "expected .*drink_data"),
        (lambda puck: puck.expect("notify drink"), 'there is no characteristic "drink"'),
        (lambda puck: puck.set("current_state", 1), 'there is no "set"'),
        (lambda puck: puck.request({"get": "sate"}), 'did you mean "state"'),
    ],
)
def test_what_cannot_be_done_is_refused(ask, message):
    with gattbench.twin("aquavate", **RADIO) as puck:
        with pytest.raises(gattbench.RequestRefused, match=message):
            ask(puck)
        puck.do("motion")


def test_one_amount_only():
    with gattbench.twin("aquavate", **RADIO) as puck, pytest.raises(TypeError, match="one amount"):
        puck.do("sip", "50 ml", ml=50)


def test_the_plugins_client_on_the_radio_and_a_fault():
    with gattbench.twin("aquavate", **RADIO) as puck:
        puck.do("sip", ml=50)
        puck.expect("drink_stored", within=15)
        puck.fault("truncate", on="drink_data")
        puck.task("sync")
        failed = puck.expect("client sync_failed", within="2 min")
        assert "cut" in failed.fields["reason"]
        report = puck.check(require=["aquavate"])
        assert [result.rule for result in report.failures] == ["AQ-060"]


def test_what_does_not_start_is_an_error():
    with pytest.raises(gattbench.UsageError, match="aquavat"):
        gattbench.twin("aquavat", **RADIO)
    with pytest.raises(gattbench.RequestRefused, match="beer"):
        gattbench.twin("aquavate", beer=400, **RADIO)
    with pytest.raises(gattbench.GattbenchError, match="Connection refused"):
        gattbench.twin("aquavate", transport="tcp-client:127.0.0.1:1")


@pytest.fixture
def radios(monkeypatch):
    """The radios that twins have started for themselves."""
    started = []

    class Recorded(gattbench.Radio):
        def __init__(self):
            super().__init__()
            started.append(self)

    # The package's `twin` is the function.
    monkeypatch.setattr(sys.modules["gattbench.twin"], "Radio", Recorded)
    return started


def has_ended(radio):
    return radio._process.poll() is not None and radio._guard.poll() is not None


def test_a_twin_that_does_not_start_leaves_no_radio(radios):
    with pytest.raises(TypeError):
        gattbench.twin(None)
    with pytest.raises(TypeError):
        gattbench.twin("aquavate", record=5)
    assert all(map(has_ended, radios))


def test_an_async_twin_that_is_cancelled_leaves_no_radio(radios):
    async def body():
        entering = asyncio.create_task(aio.twin("aquavate").__aenter__())
        await asyncio.sleep(0)
        entering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await entering

    asyncio.run(body())
    (radio,) = radios
    assert has_ended(radio)


def test_a_radio_ends_with_its_program():
    body = "import gattbench; radio = gattbench.Radio(); print(radio._process.pid, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", body], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        radio = os.pidfd_open(int(program.stdout.readline()))
        try:
            program.kill()
            assert select.select([radio], [], [], 60)[0]
        finally:
            os.close(radio)


def test_a_request_that_the_program_cannot_reply_to_is_refused():
    with gattbench.twin("aquavate", **RADIO) as puck:
        with pytest.raises(gattbench.RequestRefused, match="at most 65,536 bytes, this one has 65,5"):
            puck.request({"do": "x" * 65_520})
        with pytest.raises(gattbench.RequestRefused, match="there is no"):
            puck.request({"do": "x" * 65_510})
        with pytest.raises(gattbench.RequestRefused, match="text in UTF-8"):
            puck.do("\udc80")
        assert puck.request({"id": 99, "do": "motion"})["id"] != 99


def test_texts_are_compared():
    with gattbench.twin("aquavate", **RADIO) as puck:
        puck.do("sip", ml=50)
        puck.expect("drink_stored", within=15)
        puck.fault("truncate", on="drink_data")
        puck.task("sync")
        puck.expect("client sync_failed", reason="a chunk was cut short", within="2 min")
        with pytest.raises(ValueError, match="both kinds of quotes"):
            puck.expect("client sync_failed", reason="'\"")


def test_a_reply_that_nobody_awaits_any_more():
    async def body():
        async with aio.twin("aquavate", speed=20, **RADIO) as puck:
            waiting = asyncio.create_task(puck.expect("drink_stored", within=1))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(gattbench.ExpectationFailed):
                await asyncio.wait_for(puck.expect("drink_stored", within=2), 60)
            return await asyncio.wait_for(puck.state(), 60)

    assert asyncio.run(body())["connections"] == 0


def test_async_requests_go_side_by_side():
    async def body():
        # Not in virtual time, which may be over before the second request has come.
        async with aio.twin("aquavate", water=400, speed=20, **RADIO) as puck:
            waiting = asyncio.create_task(puck.expect("drink_stored", amount=50, within=30))
            await asyncio.sleep(0)
            await puck.do("sip", ml=50)
            event = await waiting
            with pytest.raises(gattbench.RequestRefused):
                await puck.do("spi")
            return event, await puck.state()

    event, state = asyncio.run(body())
    assert event.fields["amount"] == 50 and state["connections"] == 0


def test_a_socket_controls_it_too(tmp_path):
    """Any language can do this: lines of JSON over a socket."""
    import json
    import socket

    path = tmp_path / "control"
    arguments = [gattbench.program(), "emulate", "aquavate", "--transport", "radio:", "--speed", "virtual"]
    process = subprocess.Popen([*arguments, "--control", f"unix:{path}"], stdout=subprocess.DEVNULL)
    try:
        for _ in range(100):
            if path.exists():
                break
            time.sleep(0.1)
        for _ in range(2):  # one program after the other
            with socket.socket(socket.AF_UNIX) as link:
                link.settimeout(30)
                link.connect(str(path))
                file = link.makefile("rw")
                file.write('{"id": "a", "do": {"sip": "50 ml"}, "expect": "drink_stored"}\n\nnonsense\n')
                file.flush()
                lines = []
                while len([line for line in lines if "ok" in line]) < 2:
                    lines.append(json.loads(file.readline()))
                replies = {line["id"]: line for line in lines if "ok" in line}
                assert replies["a"]["ok"] and replies["a"]["event"]["event"] == "drink_stored"
                assert not replies[None]["ok"] and "a request" in replies[None]["error"]
                file.close()
    finally:
        process.terminate()
        assert process.wait(20) == 0
