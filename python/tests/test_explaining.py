"""Causes of failures."""

import json

import gattbench
import pytest

INCIDENT = {
    "connection": 1, "device": "Aquavate-A3F2", "what": "disconnected", "cause": "supervision_timeout",
    "confidence": "certain", "frames": [40, 44], "text": "the peer was not heard for 4.2 s",
    "advice": "Look at the signal strength.",
    "considered": [{"cause": "remote_user_terminated", "against": "the reason is 0x08"}],
}  # fmt: skip
UNEXPLAINED = {
    "what": "command_failed", "frames": [3], "text": "LE Create Connection ended with 0x1f", "considered": []
}  # fmt: skip


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program that prints a report, ends with an exit code, and writes its arguments to a file, a line each."""

    def make(report, code):
        (tmp_path / "report").write_text(json.dumps(report))
        path = tmp_path / "program"
        path.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >"{tmp_path}/arguments"\ncat "{tmp_path}/report"\nexit {code}\n')
        path.chmod(0o755)
        monkeypatch.setenv("GATTBENCH", str(path))
        return tmp_path / "arguments"

    return make


def test_an_incident_has_a_cause_and_its_frames(program):
    program({"file": "a.pcapng", "frames": 50, "incidents": [INCIDENT, UNEXPLAINED]}, 1)
    incident, other = gattbench.why("a.pcapng")
    assert (incident.connection, incident.device, incident.what) == (1, "Aquavate-A3F2", "disconnected")
    assert (incident.cause, incident.confidence, incident.frames) == ("supervision_timeout", "certain", (40, 44))
    assert incident.considered == (gattbench.Considered("remote_user_terminated", "the reason is 0x08"),)
    assert incident.advice == "Look at the signal strength." and incident.data == INCIDENT
    assert str(incident) == (
        "connection 1: disconnected, supervision_timeout (certain): the peer was not heard for 4.2 s"
    )
    assert (other.connection, other.device, other.cause, other.confidence, other.advice) == (None, None, None, None, "")
    assert str(other) == "command failed, no cause found: LE Create Connection ended with 0x1f"


@pytest.mark.parametrize("code, incidents", [(0, []), (4, [UNEXPLAINED])])
def test_exit_codes_that_are_reports(program, code, incidents):
    program({"file": "a", "frames": 3, "incidents": incidents}, code)
    assert [incident.data for incident in gattbench.why("a")] == incidents


def test_options_are_arguments(program):
    arguments = program({"file": "-a", "frames": 0, "incidents": []}, 0)
    gattbench.why("-a", connection=2, plugins=["aquavate"], gatt="gatt.json", keys="bonds.keys", timeout=60)
    assert arguments.read_text().split("\n")[:-1] == [
        "why", "--json", "--plugin", "aquavate", "--connection", "2", "--gatt", "gatt.json", "--keys", "bonds.keys",
        "--", "-a",
    ]  # fmt: skip


def test_incidents_that_are_not_listed_are_a_warning(program):
    program({"file": "a", "frames": 9, "incidents": [INCIDENT], "omitted": 12}, 1)
    with pytest.warns(gattbench.CaptureWarning, match="a: 12 more incidents are not listed"):
        assert len(gattbench.why("a")) == 1


def test_nothing_went_wrong_in_a_good_session(capture):
    assert gattbench.why(capture("aquavate-sync")) == []


def test_frames_of_a_real_failure_are_frames_of_the_capture(capture):
    path = capture("aquavate-truncated-chunk")
    frames = gattbench.stats(path)["frames"]
    for incident in gattbench.why(path, gatt=path.parent / "gatt.json"):
        assert incident.frames and all(1 <= frame <= frames for frame in incident.frames)
        assert (incident.cause is None) == (incident.confidence is None)


def test_errors_of_the_program(capture, tmp_path):
    with pytest.raises(gattbench.UnreadableCapture):
        gattbench.why(tmp_path / "none")
    with pytest.raises(gattbench.UsageError):
        gattbench.why(capture("aquavate-sync"), connection=0)
    with pytest.raises(gattbench.TimedOut):
        gattbench.why(capture("aquavate-sync"), timeout=0.0001)
