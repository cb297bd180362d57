"""A fleet of captures on Spark: fleet_benchmark.py RECORDINGS CAPTURES [PER_TASK].

Checks CAPTURES captures with one worker and with two, then again with two while one is killed; a quarter and a half of them
with two, which shows how the cost grows; and times the report. Workers have a core each. Processor time is that of the
workers with all their programs. A task has PER_TASK captures, 10 by default.
"""

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "tests"))

import gattbench.spark as fleet  # noqa: E402
from cluster import Cluster, session  # noqa: E402
from fleet import WAIVERS, make_fleet  # noqa: E402
from pyspark.sql import DataFrame, SparkSession  # noqa: E402

PER_TASK = int(sys.argv[3]) if len(sys.argv) > 3 else 10
TICKS = os.sysconf("SC_CLK_TCK")


def processor_time(cluster: Cluster) -> float:
    """Seconds of the workers and of all that they have started, and ended since."""
    parents, seconds = {}, {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = entry.read_text()
        except OSError:
            continue
        values = text.rpartition(")")[2].split()
        parents[int(entry.parent.name)] = int(values[1])
        seconds[int(entry.parent.name)] = sum(map(int, values[11:15])) / TICKS
    roots = {worker.pid for worker in cluster.workers}

    def is_of_worker(process: int) -> bool:
        while process > 1:
            if process in roots:
                return True
            process = parents.get(process, 0)
        return False

    return sum(time for process, time in seconds.items() if is_of_worker(process))


def check(spark: SparkSession, files: list[str], table: Path) -> None:
    captures = fleet.captures(spark, *files, per_task=PER_TASK)
    fleet.write(fleet.check(captures, firmware=["lifecount.counter_info.firmware"], waivers=WAIVERS), table)


def contents(table: DataFrame) -> list[dict[str, object]]:
    return sorted((row.asDict(recursive=True) for row in table.collect()), key=lambda row: str((row["path"], row["device"])))


def kill_in_the_middle(cluster: Cluster, spark: SparkSession, count: int) -> None:
    count = -(-count // PER_TASK)
    tracker = spark.sparkContext.statusTracker()
    while True:
        for stage in map(tracker.getStageInfo, tracker.getActiveStageIds()):
            if stage and stage.numTasks == count and stage.numCompletedTasks >= count // 2:
                cluster.kill(cluster.workers[0])
                print(f"killed a worker after {stage.numCompletedTasks} of {count} tasks", flush=True)
                return
        time.sleep(0.01)


class Measurement:
    """A fleet that is checked several times."""

    def __init__(self, folder: Path, files: list[str]):
        self.folder, self.files = folder, files
        self.walls: dict[tuple[int, int], float] = {}

    def check(self, cluster: Cluster, spark: SparkSession, chosen: list[str]) -> Path:
        """Checks some captures, prints a row, and returns the table."""
        workers, count = len(cluster.workers), len(chosen)
        table = self.folder / f"checks-{workers}-{count}"
        begin, used = time.perf_counter(), processor_time(cluster)
        check(spark, chosen, table)
        wall, used = time.perf_counter() - begin, processor_time(cluster) - used
        self.walls[workers, count] = wall
        cost = f"{count / wall:.1f} | {used / count * 1000:.0f} ms | {os.getloadavg()[0]:.1f}"
        print(f"| {workers} | {count:,} | {wall:.1f} s | {cost} |", flush=True)
        return table

    def report(self, spark: SparkSession, table: Path) -> None:
        """Times the report of a table."""
        page = self.folder / "report.html"
        begin = time.perf_counter()
        fleet.fleet_report(spark.read.parquet(str(table))).to_html(page)
        seconds = time.perf_counter() - begin
        size = sum(file.stat().st_size for file in table.rglob("*.parquet"))
        print(f"table: {size / 1e3:.0f} kB; report: {seconds:.1f} s, {page.stat().st_size / 1e3:.0f} kB", flush=True)

    def kill(self, cluster: Cluster, spark: SparkSession, table: Path) -> bool:
        """Checks all captures, while a worker is killed; returns whether the table is the same."""
        watcher = threading.Thread(target=kill_in_the_middle, args=(cluster, spark, len(self.files)), daemon=True)
        watcher.start()
        begin = time.perf_counter()
        check(spark, self.files, self.folder / "killed")
        seconds = time.perf_counter() - begin
        watcher.join(1)
        same = contents(spark.read.parquet(str(self.folder / "killed"))) == contents(spark.read.parquet(str(table)))
        print(f"with a worker killed: {seconds:.1f} s, {'the same' if same else 'ANOTHER'} result", flush=True)
        return same and not watcher.is_alive()


def main() -> None:
    recordings, count = Path(sys.argv[1]), int(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="gattbench-fleet-") as name:
        folder = Path(name)
        begin = time.perf_counter()
        files = [str(capture.path) for capture in make_fleet(recordings, folder / "fleet", count)]
        size = sum(Path(file).stat().st_size for file in files)
        print(f"made {count:,} captures, {size / 1e6:.1f} MB, in {time.perf_counter() - begin:.1f} s")
        measurement = Measurement(folder, files)
        print("| workers | captures | time | captures/s | processor time a capture | load |\n|--:|--:|--:|--:|--:|--:|")
        for workers in (1, 2):
            (folder / f"spark-{workers}").mkdir()
            with Cluster(folder / f"spark-{workers}") as cluster:
                for _ in range(workers):
                    cluster.add_worker()
                with session(cluster.url) as spark:
                    # Not measured: workers start, and read the program from disk.
                    check(spark, files[: 20 * workers], folder / f"warm-{workers}")
                    # Each fourth and each second capture are of both devices and all days too.
                    for step in (4, 2) if workers == 2 else ():
                        measurement.check(cluster, spark, files[::step])
                    table = measurement.check(cluster, spark, files)
                    if workers == 2:
                        measurement.report(spark, table)
                        is_same = measurement.kill(cluster, spark, table)
    walls = measurement.walls
    growth = " and ".join(f"{walls[2, part] / walls[2, len(files[::4])]:.2f} ×" for part in (len(files[::2]), count))
    print(f"two workers: {walls[1, count] / walls[2, count]:.2f} × one; twice and 4 times the captures: {growth} the time")
    sys.exit(0 if is_same else 1)


if __name__ == "__main__":
    main()
