"""Decode, check and emulate Bluetooth Low Energy devices with the gattbench program.

`decode` and `values` give Arrow tables, `check` and `stats` the program's reports, `why` the causes of failures, `twin` an
emulated device that a test controls. Nothing is decoded here: the program does it.
"""

from ._program import program
from ._run import (
    CaptureWarning,
    GattbenchError,
    KeyFileWarning,
    RequestRefused,
    TimedOut,
    UnreadableCapture,
    UsageError,
)
from .aio import AsyncTwin
from .checking import Report, Result, check, stats
from .comparing import Comparison, Difference, diff
from .decoding import ValueTable, decode, values
from .explaining import Considered, Incident, why
from .fields import Field, fields
from .radio import Radio
from .twin import Event, ExpectationFailed, Twin, twin

__all__ = [
    "AsyncTwin",
    "CaptureWarning",
    "Comparison",
    "Considered",
    "Difference",
    "Event",
    "ExpectationFailed",
    "Field",
    "GattbenchError",
    "Incident",
    "KeyFileWarning",
    "Radio",
    "Report",
    "RequestRefused",
    "Result",
    "TimedOut",
    "Twin",
    "UnreadableCapture",
    "UsageError",
    "ValueTable",
    "check",
    "decode",
    "diff",
    "fields",
    "program",
    "stats",
    "twin",
    "values",
    "why",
]
