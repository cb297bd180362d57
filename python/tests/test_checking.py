"""Reports of rules and statistics."""

import gattbench
import pytest


def test_a_broken_rule_is_in_the_report(capture):
    path = capture("aquavate-truncated-chunk")
    report = gattbench.check(path, gatt=path.parent / "gatt.json")
    assert not report.passed
    rules = {result.rule: result for result in report.failures}
    assert "AQ-060" in rules and rules["AQ-060"].connection == 1
    assert len(report.failures) == report.summary["fail"]
    assert "FAIL AQ-060" in str(report)


def test_a_report_without_failures_has_passed(capture):
    report = gattbench.check(capture("weather-station"), role="client")
    assert report.passed == (report.summary["fail"] == 0)


def test_a_report_that_nothing_applies_to_has_not_passed(capture, tmp_path):
    path = tmp_path / "empty.btsnoop"
    path.write_bytes(capture("aquavate-sync").read_bytes()[:16])
    report = gattbench.check(path)
    assert not report.passed and not report.failures


def test_a_report_without_a_required_check_has_not_passed(capture):
    path = capture("aquavate-sync")
    report = gattbench.check(path, require=["lifecount"])
    assert report.summary["pass"] > 0 and not report.failures and not report.passed
    assert "--require lifecount: it checked no connection" in str(report)
    assert gattbench.check(path, require=["aquavate"]).passed


def test_warnings_are_failures_of_a_strict_check(capture):
    path = capture("lifecount-session")
    assert gattbench.check(path).passed
    report = gattbench.check(path, strict=True)
    assert not report.passed and [result.rule for result in report.failures] == ["LC-005"]
    assert "FAIL LC-005" in str(report)


def test_errors_of_the_program(capture, tmp_path):
    with pytest.raises(gattbench.UnreadableCapture):
        gattbench.check(tmp_path / "none")
    with pytest.raises(gattbench.GattbenchError):
        gattbench.check(capture("aquavate-sync"), waivers=tmp_path / "none.yaml")


def test_a_check_ends_in_time(capture):
    with pytest.raises(gattbench.TimedOut, match="took over 0.0001 s"):
        gattbench.check(capture("aquavate-sync"), timeout=0.0001)
    assert gattbench.check(capture("weather-station"), timeout=600).results


def test_statistics(capture):
    stats = gattbench.stats(capture("aquavate-sync"))
    assert stats["frames"] == 85 and any(device.get("plugin") == "aquavate" for device in stats["devices"])
