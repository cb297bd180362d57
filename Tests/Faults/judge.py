#!/usr/bin/env python3
"""Judges `PROGRAM why` by planted faults: judge.py PROGRAM DIR… [--json FILE]. DIR is what plant.py wrote.

A file is right if an incident names the planted cause and no incident names one that the label does not allow. A cause passes
if 75 % of its files are right, and none has a wrong cause that is `certain`; all together pass if 95 % are right, and 60 % of
these are `certain`. Sessions that went well pass if none has an incident. Ends with 1 if a row fails.
"""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

RIGHT, CERTAIN, LEAST = 0.95, 0.6, 0.75
GOOD, ALL = "(went well)", "(all faults)"


def why(program, folder, label):
    """What the program says about a file."""
    path = os.path.join(folder, label["file"])
    result = dict(label, incidents=[], fault=None)
    try:
        run = subprocess.run([program, "why", path, "--json"], capture_output=True, timeout=120)
        if run.returncode not in (0, 1, 4):
            raise ValueError(f"exit code {run.returncode}: {run.stderr.decode(errors='replace').strip()[:300]}")
        result["incidents"] = json.loads(run.stdout)["incidents"]
        if (run.returncode == 0) != (not result["incidents"]):
            raise ValueError(f"exit code {run.returncode} with {len(result['incidents'])} incidents")
    except (ValueError, KeyError, subprocess.TimeoutExpired) as error:
        result["fault"] = str(error)
    return rate(result)


def rate(result):
    cause = result["cause"]
    named = [i for i in result["incidents"] if i.get("cause") == cause]
    others = [i for i in result["incidents"] if i.get("cause") not in [cause] + result.get("allowed", [])]
    result["right"] = result["fault"] is None and not others and (bool(named) if cause else not result["incidents"])
    result["certain"] = any(i.get("confidence") == "certain" for i in named)
    result["certain_wrong"] = any(i.get("confidence") == "certain" for i in others)
    return result


def rows(results):
    """A row for each cause and for all: files, right, certain ones of these, certain and wrong."""
    table = {}
    for result in results:
        for name in [result["cause"], ALL] if result["cause"] else [GOOD]:
            row = table.setdefault(name, [0, 0, 0, 0])
            row[0] += 1
            row[1] += result["right"]
            row[2] += result["right"] and result["certain"]
            row[3] += result["certain_wrong"]
    return {**{name: table[name] for name in table if name != ALL}, **({ALL: table[ALL]} if ALL in table else {})}


def passes(cause, files, right, certain, wrong):
    if cause == GOOD:
        return right == files
    least = RIGHT if cause == ALL else LEAST
    return right >= least * files and wrong == 0 and (cause != ALL or certain >= CERTAIN * right)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folders", nargs="+", metavar="DIR")
    parser.add_argument("--json", metavar="FILE", help="all results")
    parser.add_argument("--wrong", action="store_true", help="list the files that are not right")
    options = parser.parse_args()
    work = []
    for folder in options.folders:
        with open(os.path.join(folder, "labels.json")) as file:
            work += [(folder, label) for label in json.load(file)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda item: why(options.program, *item), work))
    print(f"{'cause':30} {'files':>6} {'right':>6} {'certain':>8} {'wrong and certain':>18}")
    passed = failed = 0
    for cause, row in rows(results).items():
        is_good = passes(cause, *row)
        passed, failed = passed + is_good, failed + (not is_good)
        print(f"{cause:30} {row[0]:6} {row[1]:6} {row[2]:8} {row[3]:18}  {'pass' if is_good else 'FAIL'}")
    planted = [r for r in results if r["cause"]]
    if planted:
        right = sum(r["right"] for r in planted)
        certain = sum(r["right"] and r["certain"] for r in planted)
        print(f"right: {right / len(planted):.1%} of {len(planted)}; certain: {certain / max(1, right):.1%} of the right ones")
    if options.wrong:
        for result in results:
            if not result["right"]:
                named = ", ".join(f"{i.get('cause')} ({i.get('confidence')})" for i in result["incidents"]) or "nothing"
                print(f"{result['file']}: {result['fault'] or named}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
