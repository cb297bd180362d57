"""Fixtures and a mark for tests with emulated devices.

- `gattbench_radio`: a virtual radio with four controllers.
- `gattbench_twin`: starts devices on it that end with the test: `puck = gattbench_twin("aquavate", water=400)`.
- `@pytest.mark.gattbench(require=["aquavate"], …)`: the traffic of the test's devices is checked when its body has passed,
  with the options of `gattbench.check`; a report that has not passed fails the test.

A test that fails shows where the captures of its devices are, and the reports.
"""

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from .checking import Report, check
from .radio import Radio
from .twin import Twin, twin

_twins = pytest.StashKey[list[Twin]]()
_reports = pytest.StashKey[list[tuple[str, str]]]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "gattbench(**options): check the traffic of the test's devices, with the options of gattbench.check"
    )


@pytest.fixture
def gattbench_radio() -> Iterator[Radio]:
    """A virtual radio with four controllers, for devices and their clients."""
    with Radio(4) as radio:
        yield radio


@pytest.fixture
def gattbench_twin(
    request: pytest.FixtureRequest, gattbench_radio: Radio, tmp_path: Path
) -> Iterator[Callable[..., Twin]]:
    """Starts an emulated device, with the settings of `gattbench.twin`; it ends with the test."""
    twins = request.node.stash.setdefault(_twins, [])

    def start(plugin: str, **settings: Any) -> Twin:
        settings.setdefault("transport", gattbench_radio)
        settings.setdefault("record", tmp_path / f"{Path(plugin).stem}-{len(twins) + 1}.btsnoop")
        device = twin(plugin, **settings)
        twins.append(device)
        return device

    yield start
    for device in twins:
        device.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    result = yield
    mark = item.get_closest_marker("gattbench")
    if mark is None:
        return result
    reports = []
    for device in item.stash.get(_twins, []):
        report = check(device.capture, **mark.kwargs)
        item.stash.setdefault(_reports, []).append((str(device.capture), str(report)))
        if not report.passed:
            reports.append((device.capture.name, report))
    if reports:
        lines = [f"{name}: {report}" for name, report in reports]
        pytest.fail("\n".join([_problem([report for _, report in reports]), *lines]), False)
    return result


def _problem(reports: list[Report]) -> str:
    """Why reports have not passed."""
    if any(report.failures for report in reports):
        return "the traffic breaks rules"
    return "a required check did not happen" if any(report.omissions for report in reports) else "no rule applied"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: "pytest.CallInfo[None]"
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call" and report.failed:
        for device in item.stash.get(_twins, []):
            report.sections.append(("gattbench capture", str(device.capture)))
        for path, text in item.stash.get(_reports, []):
            report.sections.append(("gattbench report", f"{path}\n{text}"))
    return report
