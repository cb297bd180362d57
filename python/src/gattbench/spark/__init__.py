"""Fleets of captures on Apache Spark: `pip install gattbench[spark]`.

`captures` names files, `check`, `why` and `decode` make tables of them, one task a capture, `write` keeps a table as Parquet by
day and plugin, and `fleet_report` says which rules, firmware and devices fail. `python -m gattbench.spark` does the same.
"""

from .jobs import captures, check, decode, why, write
from .report import FleetReport, fleet_report

__all__ = ["FleetReport", "captures", "check", "decode", "fleet_report", "why", "write"]
