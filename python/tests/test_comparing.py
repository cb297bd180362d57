"""Differences between captures."""

import json

import gattbench

DIFFERENCE = {
    "kind": "only_a", "subject": "Write Request Battery Level", "a": [40, 41], "count": 1,
    "fields": [{"name": "value", "a": "01", "b": None}],
}  # fmt: skip
REPORT = {
    "differs": True, "differences": 1, "only_a": [], "only_b": [],
    "connections": [{"a": {"connection": 1}, "b": {"connection": 2}, "differences": [DIFFERENCE]}],
}  # fmt: skip


def test_differences_have_the_frames_of_both_sides(tmp_path, monkeypatch):
    (tmp_path / "report").write_text(json.dumps(REPORT))
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >"{tmp_path}/arguments"\ncat "{tmp_path}/report"\nexit 1\n')
    program.chmod(0o755)
    monkeypatch.setenv("GATTBENCH", str(program))
    comparison = gattbench.diff("a", "b", tolerance="10%", pairs=[(1, 2)], keys="bonds.keys")
    assert comparison.differs and comparison.data == REPORT
    assert comparison.differences == [
        gattbench.Difference((1, 2), "only_a", "Write Request Battery Level", (40, 41), None, DIFFERENCE)
    ]
    assert (tmp_path / "arguments").read_text().split() == [
        "diff", "--json", "--tolerance", "10%", "--pair", "1:2", "--keys", "bonds.keys", "--", "a", "b",
    ]  # fmt: skip


def test_a_capture_does_not_differ_from_itself(capture):
    path = capture("aquavate-sync")
    comparison = gattbench.diff(path, path)
    assert not comparison.differs and comparison.differences == []
