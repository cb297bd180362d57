#!/usr/bin/env python3
"""Plants faults in Bumble hosts and records their sessions; see README.md. Needs the package bumble.

    bumble_faults.py --list
    bumble_faults.py DIR [--seed N | --seeds A-B] [--way W]…
    bumble_faults.py DIR --program gattbench [--speed X]

Records each host's HCI. The controllers are Bumble's, in this process; with a program they are those of
`gattbench radio`, which records the air, too.
"""

import argparse
import asyncio
import importlib
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from hosts import FAMILIES
from hosts.clock import FastLoop, SkippingLoop, use_clock_of
from hosts.scene import AIR, CENTRAL, FAULTS, PERIPHERAL, Scene

# Seconds that a session may last by its own clock.
LIMIT = 200


class Radio:
    """`gattbench radio` with a controller for each host."""

    def __init__(self, program, folder, capture, seed, speed):
        self.speed = speed
        self.sockets = {view: os.path.join(folder, view) for view in (CENTRAL, PERIPHERAL)}
        command = [program, "radio", "--record-air", capture, "--seed", str(seed), "--speed", str(speed)]
        for path in self.sockets.values():
            command += ["--hci", f"unix-server:{path}"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if self.process.stdout.readline().strip() != "ready":
            self.process.kill()
            raise RuntimeError(f"{' '.join(command)} is not ready; it ended with {self.process.wait()}")
        self.specs = {view: f"unix:{path}" for view, path in self.sockets.items()}

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


async def play(scene, found):
    try:
        await asyncio.wait_for(found.plant(scene), LIMIT)
        # What is still on its way.
        await asyncio.sleep(1)
    finally:
        for transport in scene.transports.values():
            await transport.close()


def run(loop, coroutine):
    asyncio.set_event_loop(loop)
    use_clock_of(loop)
    # Exceptions of tasks that a disconnection has cancelled are no news.
    loop.set_exception_handler(lambda loop, context: None)
    try:
        loop.run_until_complete(coroutine)
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def record(found, seed, folder, radio=None):
    """Plays a session; the names of the recordings by view."""
    scene = Scene(found.way, seed, folder, radio and radio.specs)
    views = set()
    try:
        run(FastLoop(radio.speed) if radio else SkippingLoop(scene.random), play(scene, found))
        views = set(found.causes) - scene.silent
    finally:
        names = scene.close_files(views)
    return names


def record_with_air(found, seed, folder, program, speed):
    name = f"bumble-radio-{found.way}-{seed}-air.pcap"
    with tempfile.TemporaryDirectory() as sockets:
        radio = Radio(program, sockets, os.path.join(folder, name), seed, speed)
        try:
            names = record(found, seed, folder, radio)
        finally:
            radio.end()
    return names | {AIR: name}


def label(found, name, view, seed):
    return {
        "file": name, "cause": found.causes[view], "way": f"bumble_{found.way}",
        "view": "air" if view == AIR else "hci", "seed": seed,
    }


def add_labels(folder, labels):
    path = os.path.join(folder, "labels.json")
    files = {label["file"] for label in labels}
    try:
        with open(path) as file:
            labels = [old for old in json.load(file) if old["file"] not in files] + labels
    except FileNotFoundError:
        pass
    with open(path, "w") as file:
        json.dump(labels, file, indent=1)
        file.write("\n")


def seeds(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main():
    for family in FAMILIES:
        importlib.import_module(f"hosts.{family}")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", metavar="DIR")
    parser.add_argument("--list", action="store_true", help="list ways and causes by view")
    parser.add_argument("--seed", "--seeds", type=seeds, default=seeds("1"), metavar="A-B")
    parser.add_argument("--way", action="append", choices=FAULTS, metavar="W", help="plant in this way only")
    parser.add_argument("--program", help="gattbench: record the air of its radio")
    parser.add_argument("--speed", type=float, default=10, help="speed of the radio (default 10)")
    parser.add_argument("--debug", action="store_true", help="show Bumble's log")
    options = parser.parse_args()
    if options.list:
        for found in FAULTS.values():
            print(f"{found.way}\t" + ", ".join(f"{view}: {cause}" for view, cause in found.causes.items()))
        return
    if not options.folder:
        parser.error("DIR is missing")
    if options.program and not shutil.which(options.program):
        parser.error(f"there is no program {options.program}")
    logging.basicConfig(level=logging.DEBUG if options.debug else logging.CRITICAL)
    os.makedirs(options.folder, exist_ok=True)
    labels, failed, began = [], 0, time.monotonic()
    for found in FAULTS.values():
        if options.way and found.way not in options.way or options.program and AIR not in found.causes:
            continue
        for seed in options.seed:
            start = time.monotonic()
            try:
                if options.program:
                    names = record_with_air(found, seed, options.folder, options.program, options.speed)
                else:
                    names = record(found, seed, options.folder)
            except Exception as error:
                failed += 1
                print(f"{found.way} {seed}: {type(error).__name__}: {error}", file=sys.stderr)
                continue
            labels += [label(found, name, view, seed) for view, name in names.items()]
            print(f"{found.way} {seed}: {time.monotonic() - start:.1f} s", file=sys.stderr)
    add_labels(options.folder, labels)
    print(f"{len(labels)} captures in {time.monotonic() - began:.0f} s, {failed} failed", file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
