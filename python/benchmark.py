"""Five fields of every frame as Arrow, beside pyshark: benchmark.py CAPTURE.

Both run in turn, three times, on the same capture; pyshark reads its first frames only, with the fastest of its modes. The
best run of each counts. Processor time is that of Python and of the program that it runs, on all cores.
"""

import asyncio
import itertools
import os
import sys
import time

import gattbench
import pyshark

NAMES = ["frame.number", "frame.time_epoch", "btatt.opcode", "btatt.handle", "btatt.value"]
PYSHARK_FRAMES = 5_000


def with_gattbench(path: str) -> tuple[int, float]:
    begin = time.perf_counter()
    rows = sum(batch.num_rows for batch in gattbench.decode(path, NAMES))
    return rows, time.perf_counter() - begin


def with_pyshark(path: str) -> tuple[int, float]:
    begin = time.perf_counter()
    # The packets alone, without a summary of each and without keeping them.
    capture = pyshark.FileCapture(path, keep_packets=False, use_ek=True, custom_parameters=["-c", str(PYSHARK_FRAMES)])
    rows = 0
    for packet in itertools.islice(capture, PYSHARK_FRAMES):
        layer = packet.btatt if "btatt" in packet else None
        values = (
            packet.number,
            packet.sniff_timestamp,
            *(layer.get(name) if layer is not None else None for name in ("opcode", "handle", "value")),
        )
        rows += len(values) // len(NAMES)
    seconds = time.perf_counter() - begin
    capture.close()
    return rows, seconds


def processor_time() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main() -> None:
    path = sys.argv[1]
    asyncio.set_event_loop(asyncio.new_event_loop())
    best: dict[str, tuple[int, float, float]] = {}
    for _ in range(3):
        for name, measure in (("gattbench", with_gattbench), ("pyshark", with_pyshark)):
            used = processor_time()
            rows, seconds = measure(path)
            used = processor_time() - used
            if name not in best or rows / seconds > best[name][0] / best[name][1]:
                best[name] = (rows, seconds, used)
    rates = {name: rows / seconds for name, (rows, seconds, _) in best.items()}
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print("| | rows | time | rows/s | processor time |\n|---|--:|--:|--:|--:|")
    for name, (rows, seconds, used) in best.items():
        print(f"| {name} | {rows:,} | {seconds:.2f} s | {rates[name]:,.0f} | {used:.2f} s |")
    ratio = rates["gattbench"] / rates["pyshark"]
    print(f"\n{ratio:,.0f} × pyshark; targets: 1,000,000 rows/s and 200 ×")
    sys.exit(0 if ratio >= 200 and rates["gattbench"] >= 1_000_000 else 1)


if __name__ == "__main__":
    main()
