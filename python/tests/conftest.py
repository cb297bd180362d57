"""What several tests need."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CAPTURES = Path(os.environ.get("GATTBENCH_CAPTURES", Path(__file__).parents[2] / "captures"))


@pytest.fixture
def capture() -> Callable[[str], Path]:
    """A capture of the repository by the name of its folder."""

    def find(name: str) -> Path:
        found: list[Path] = sorted((CAPTURES / name).glob("capture.*"))
        assert found, f"there is no capture {name} in {CAPTURES}"
        return found[0]

    return find
