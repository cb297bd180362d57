#!/usr/bin/env python3
"""Plants faults into sessions and writes them as captures; see README.md.

    plant.py --list
    plant.py --cause C --way W --seed S --view hci|air -o FILE
    plant.py all --seeds A-B DIR
    plant.py good --seeds A-B DIR
"""

import argparse
import importlib
import json
import os
import sys

from faults import FAMILIES
from faults.scene import FAULTS, build


def load():
    for family in FAMILIES:
        importlib.import_module(f"faults.{family}")


def write(scene, path):
    with open(path, "wb") as file:
        file.write(scene.bytes())


def seeds(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def write_labels(folder, labels):
    with open(os.path.join(folder, "labels.json"), "w") as file:
        json.dump(labels, file, indent=1)
        file.write("\n")


def plant_all(folder, wanted, causes=None):
    labels = []
    for (cause, way), found in FAULTS.items():
        if causes and cause not in causes:
            continue
        for view in found.views:
            for seed in wanted:
                scene = build(cause, way, seed, view)
                name = f"{cause}-{way}-{seed}.{'btsnoop' if view == 'hci' else 'pcap'}"
                write(scene, os.path.join(folder, name))
                label = {"file": name, "cause": cause, "way": way, "view": view, "seed": seed}
                if found.allowed:
                    label["allowed"] = list(found.allowed)
                labels.append(label)
    write_labels(folder, labels)
    print(f"{len(labels)} captures", file=sys.stderr)


def plant_good(folder, wanted):
    from faults.good import SESSIONS, build_good

    labels = []
    for seed in wanted:
        way = list(SESSIONS)[seed % len(SESSIONS)]
        view = ("hci", "air")[seed // len(SESSIONS) % 2]
        name = f"good-{way}-{seed}.{'btsnoop' if view == 'hci' else 'pcap'}"
        write(build_good(way, seed, view), os.path.join(folder, name))
        labels.append({"file": name, "cause": None, "way": way, "view": view, "seed": seed})
    write_labels(folder, labels)
    print(f"{len(labels)} captures", file=sys.stderr)


def main():
    load()
    if sys.argv[1:2] in (["all"], ["good"]):
        parser = argparse.ArgumentParser(prog="plant.py " + sys.argv[1])
        parser.add_argument("--seeds", type=seeds, required=True, help="A-B")
        parser.add_argument("--cause", action="append", help="plant this cause only")
        parser.add_argument("folder")
        options = parser.parse_args(sys.argv[2:])
        os.makedirs(options.folder, exist_ok=True)
        if sys.argv[1] == "all":
            plant_all(options.folder, options.seeds, options.cause)
        else:
            plant_good(options.folder, options.seeds)
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--cause")
    parser.add_argument("--way")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--view", choices=("hci", "air"), default="hci")
    parser.add_argument("-o", dest="output")
    options = parser.parse_args()
    if options.list:
        for (cause, way), found in FAULTS.items():
            print(f"{cause}\t{way}\t{','.join(found.views)}")
        return
    found = FAULTS.get((options.cause, options.way))
    if not found:
        parser.error("no such cause and way; --list shows all")
    if options.view not in found.views:
        parser.error(f"{options.cause} {options.way} exists in {' and '.join(found.views)} only")
    if not options.output:
        parser.error("-o FILE is missing")
    write(build(options.cause, options.way, options.seed, options.view), options.output)


if __name__ == "__main__":
    main()
