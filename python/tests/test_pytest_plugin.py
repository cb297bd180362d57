"""The fixtures and the mark, in tests that pytest runs for a test."""

import gattbench


def run(pytester, body):
    pytester.makepyfile(body)
    return pytester.runpytest_subprocess("-q")


def test_a_twin_ends_with_its_test(pytester):
    result = run(
        pytester,
        """
        def test_it(gattbench_twin, gattbench_radio):
            puck = gattbench_twin("aquavate", water=400)
            assert puck.radio is gattbench_radio and puck.spec in gattbench_radio.specs
            puck.do("sip", ml=50)
            puck.advance("10 s")
            puck.expect("drink_stored", amount=50, within=20)
        """,
    )
    result.assert_outcomes(passed=1)


FAULTY = """
    import pytest

    @pytest.mark.gattbench({options})
    def test_it(gattbench_twin):
        puck = gattbench_twin("aquavate", transport="radio:", seed=7)
        puck.do("sip", ml=50)
        puck.expect("drink_stored", within=20)
        {fault}
        puck.task("sync")
        puck.expect("{event}", within="2 min")
        puck.expect("disconnected", within="5 min")
"""


def test_a_broken_rule_fails_a_test_that_has_passed(pytester):
    fault = 'puck.fault("truncate", on="drink_data")'
    result = run(pytester, FAULTY.format(options='require=["aquavate"]', fault=fault, event="client sync_failed"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the traffic breaks rules*", "*FAIL AQ-060*", "*gattbench capture*", "*aquavate-1.btsnoop"])
    capture = next(line for line in result.outlines if line.endswith("aquavate-1.btsnoop"))
    assert "AQ-060" in {failure.rule for failure in gattbench.check(capture.strip()).failures}


def test_traffic_that_breaks_no_rule_passes(pytester):
    options = 'require=["aquavate"], role="client"'
    result = run(pytester, FAULTY.format(options=options, fault="", event="client sync_done"))
    result.assert_outcomes(passed=1)


def test_a_required_check_that_did_not_happen_fails_a_test(pytester):
    options = 'require=["lifecount"], role="client"'
    result = run(pytester, FAULTY.format(options=options, fault="", event="client sync_done"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*a required check did not happen*", "*--require lifecount: it checked no connection*"])


def test_a_failing_test_shows_its_capture(pytester):
    result = run(
        pytester,
        """
        def test_it(gattbench_twin):
            puck = gattbench_twin("aquavate", transport="radio:")
            puck.expect("drink_stored", within=1)
        """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['*ExpectationFailed: "drink_stored" did not occur within 1 s*', "*gattbench capture*"])


def test_the_mark_is_registered(pytester):
    pytester.makepyfile("import pytest\n@pytest.mark.gattbench\ndef test_it(): pass")
    pytester.runpytest_subprocess("--strict-markers", "-q").assert_outcomes(passed=1)
