"""Event loops with a clock of their own: one that skips waiting, and one that runs faster than the wall clock."""

import asyncio
import datetime
import selectors
import time
import types

from bumble import snoop

# Where the recordings begin.
START = datetime.datetime(2026, 3, 1, 12, 0, 0, tzinfo=datetime.UTC)


class SkippingSelector(selectors.DefaultSelector):
    """Moves the loop's clock to the next timer instead of waiting for it."""

    def __init__(self, random):
        super().__init__()
        self.random = random
        self.now = 0.0

    def select(self, timeout=None):
        ready = super().select(0)
        # A turn of the loop takes its time, so that records do not share a time stamp.
        self.now += self.random.uniform(20e-6, 120e-6)
        if not ready and timeout is None:
            raise RuntimeError("everything waits, and no timer runs")
        if not ready and timeout > 0:
            self.now += timeout
        return ready


class SkippingLoop(asyncio.SelectorEventLoop):
    """For two controllers in this process: 30 s of silence take no time."""

    def __init__(self, random):
        self.skipping = SkippingSelector(random)
        super().__init__(self.skipping)

    def time(self):
        return self.skipping.now


class FastSelector(selectors.DefaultSelector):
    """Waits a fraction of the time that the loop asks for."""

    def __init__(self, speed):
        super().__init__()
        self.speed = speed

    def select(self, timeout=None):
        return super().select(timeout and timeout / self.speed)


class FastLoop(asyncio.SelectorEventLoop):
    """For controllers of a radio that runs `speed` times as fast as the wall clock."""

    def __init__(self, speed):
        self.speed = speed
        self.begin = time.monotonic()
        super().__init__(FastSelector(speed))

    def time(self):
        return (time.monotonic() - self.begin) * self.speed


def use_clock_of(loop):
    """Bumble's snooper reads the loop's clock from now on."""
    clock = types.SimpleNamespace(now=lambda tz=None: START + datetime.timedelta(seconds=loop.time()))
    snoop.datetime = types.SimpleNamespace(datetime=clock, UTC=datetime.UTC)
