"""A fleet of captures on a cluster of two workers."""

import json
import shutil
import threading
import time
from collections import Counter
from datetime import date, datetime

import gattbench
import pyarrow as pa
import pytest
from conftest import CAPTURES

pytest.importorskip("pyspark", reason="pyspark is not installed")
if shutil.which("java") is None:
    pytest.skip("there is no Java, which Spark needs: install default-jre-headless", allow_module_level=True)

import gattbench.spark as fleet  # noqa: E402
from cluster import Cluster, session  # noqa: E402
from fleet import WAIVERS, make_fleet  # noqa: E402
from gattbench.spark import _rows  # noqa: E402
from gattbench.spark.report import _regressions  # noqa: E402

COUNT = 40
# Most of the tests' time is that of starting virtual machines of Java.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
OPTIONS = {"firmware": ["lifecount.counter_info.firmware"], "waivers": WAIVERS}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_fleet(CAPTURES, tmp_path_factory.mktemp("fleet"), COUNT)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_TOOL_OPTIONS", JAVA)
        with Cluster(tmp_path_factory.mktemp("spark")) as cluster:
            for _ in range(2):
                cluster.add_worker()
            yield cluster


@pytest.fixture(scope="module")
def spark(cluster):
    with session(cluster.url) as spark:
        yield spark


@pytest.fixture(scope="module")
def folder(made):
    return made[0].path.parents[1]


@pytest.fixture(scope="module")
def checks(spark, folder, tmp_path_factory):
    """The checks of the fleet, as they were written."""
    table = tmp_path_factory.mktemp("tables") / "checks"
    fleet.write(fleet.check(fleet.captures(spark, folder, per_task=5), **OPTIONS), table)
    return spark.read.parquet(str(table))


def by_path(table):
    return {row["path"]: row.asDict(recursive=True) for row in table.collect()}


def test_each_capture_is_a_row_with_what_became_of_it(checks, made):
    rows = by_path(checks)
    assert len(rows) == checks.count() == len(made) == COUNT
    for capture in made:
        row = rows[str(capture.path)]
        assert row["status"] == capture.status and (row["error"] is None) == (capture.status == "ok")
        if capture.status == "unreadable":
            assert row["plugin"] is None and row["day"] is None and not row["results"]
            continue
        assert (row["plugin"], row["day"], row["firmware"]) == (capture.plugin, capture.day, capture.firmware)
        assert int(row["device"][-2:], 16) == int(capture.path.stem) % 40
        failing = {result["rule"] for result in row["results"] if result["verdict"] == "fail"}
        assert ("AQ-060" in failing) == capture.is_broken
        assert row["first"].date() == capture.day and row["frames"] > 60


def test_results_are_those_of_check(checks, made):
    capture = next(one for one in made if one.is_broken)
    row = by_path(checks)[str(capture.path)]
    report = gattbench.check(capture.path, waivers=WAIVERS)
    counts = Counter(result["verdict"] for result in row["results"])
    expected = {verdict: count for verdict, count in report.summary.items() if count and verdict != "not_applicable"}
    assert counts == expected
    failure = next(result for result in row["results"] if result["rule"] == "AQ-060")
    assert failure["frame"] == 74 and failure["observed"] and failure["connection"] == 1


def test_warnings_of_a_strict_check_are_failures(capture):
    path = str(capture("lifecount-session"))
    for strict, verdict in ((False, "warning"), (True, "fail")):
        (batch,) = _rows.checked(path, path, _rows.Settings({"strict": strict}))
        results = [result for row in batch.to_pylist() for result in row["results"]]
        assert [result["verdict"] for result in results if result["rule"] == "LC-005"] == [verdict]


def test_parquet_is_partitioned_by_day_and_plugin(checks):
    parts = {tuple(file.split("/")[-3:-1]) for file in checks.inputFiles()}
    expected = {(f"day=2026-02-0{day}", f"plugin={plugin}") for day in (1, 2, 3, 4) for plugin in ("aquavate", "lifecount")}
    assert parts == {*expected, ("day=__HIVE_DEFAULT_PARTITION__", "plugin=__HIVE_DEFAULT_PARTITION__")}
    assert dict(checks.dtypes)["day"] == "date" and len(checks.inputFiles()) == len(parts)


def test_a_worker_that_is_killed_changes_nothing(cluster, spark, folder, checks, tmp_path):
    worker = cluster.workers[0]
    tracker = spark.sparkContext.statusTracker()
    killed = []

    def kill_in_the_middle():
        for _ in range(6000):
            for stage in map(tracker.getStageInfo, tracker.getActiveStageIds()):
                if stage and stage.numTasks == COUNT and COUNT // 8 <= stage.numCompletedTasks:
                    cluster.kill(worker)
                    killed.append(stage.numCompletedTasks)
                    return
            time.sleep(0.01)

    watcher = threading.Thread(target=kill_in_the_middle)
    watcher.start()
    table = str(tmp_path / "checks")
    fleet.write(fleet.check(fleet.captures(spark, folder), **OPTIONS), table)
    watcher.join()
    cluster.add_worker()
    assert killed and killed[0] < COUNT and worker.returncode == -9
    assert by_path(spark.read.parquet(table)) == by_path(checks)


def test_frames_are_rows(spark, folder, made):
    fields = ["frame.number", "frame.time_epoch", "btatt.opcode", "btatt.handle", "btatt.value", "peer"]
    condition = "btatt.opcode == 0x1b"
    table = fleet.decode(fleet.captures(spark, folder, per_task=8), fields, filter=condition, names=["btatt.opcode"])
    assert dict(table.dtypes) | {"path": "string", "day": "date"} == dict(table.dtypes)
    rows = [row.asDict() for row in table.collect()]
    capture = made[0]
    expected = gattbench.decode(capture.path, fields, filter=condition).read_all()
    own = [row for row in rows if row["path"] == str(capture.path)]
    assert [row["btatt_value"] for row in own] == expected["btatt.value"].to_pylist()
    assert {row["plugin"] for row in own} == {"aquavate"} and {row["day"] for row in own} == {capture.day}
    assert {row["btatt_opcode"] for row in own} == {"Handle Value Notification"}
    problems = {row["path"]: row["status"] for row in rows if row["error"] is not None}
    assert problems == {str(one.path): one.status for one in made if one.status != "ok"}


def test_lists_and_values_that_a_long_cannot_hold(spark, capture, tmp_path):
    table = fleet.decode(
        fleet.captures(spark, capture("aquavate-sync")), ["aquavate.drink_chunk.records.amount", "gatt.latency"],
        filter="aquavate.drink_chunk",
    )  # fmt: skip
    assert [row[5] for row in table.collect()] == [[45, 150], [223]]
    with pytest.raises(pa.ArrowInvalid, match="9223372036854775808"):
        _rows.portable(pa.array([2**63], pa.uint64()))


def test_contents_of_another_store(spark, folder, made, checks):
    captures = spark.read.format("binaryFile").load(str(made[0].path.parent))
    rows = by_path(fleet.check(captures, **OPTIONS))
    known = by_path(checks)
    assert len(rows) == COUNT // 4
    for path, row in rows.items():
        same = known[path.removeprefix("file:")]
        assert (row["status"], row["firmware"], row["results"]) == (same["status"], same["firmware"], same["results"])


def test_incidents_are_rows(spark, folder, made):
    rows = fleet.why(fleet.captures(spark, folder, per_task=10)).collect()
    statuses = {row["path"]: row["status"] for row in rows}
    assert statuses == {str(capture.path): capture.status for capture in made}
    days = {row["path"]: row["day"] for row in rows if row["status"] == "ok"}
    assert days == {str(capture.path): capture.day for capture in made if capture.status == "ok"}


def test_the_plugin_of_an_incident_is_that_of_its_device(monkeypatch):
    incident = {
        "connection": 1, "device": "Aquavate-A3F2", "what": "disconnected", "cause": "mic_failure",
        "confidence": "certain", "frames": [7, 9], "text": "a MIC was wrong", "advice": "Pair again.",
        "considered": [{"cause": "supervision_timeout", "against": "the reason is 0x3d"}],
    }  # fmt: skip
    other = {"what": "command_failed", "frames": [3], "text": "Inquiry was refused", "considered": []}
    devices = [{"adapter": 0}, {"address": "24:0a:c4:12:a3:f4", "name": "Aquavate-A3F2", "plugin": "aquavate"}]
    monkeypatch.setattr(_rows, "stats", lambda path: {"start": "2026-02-01T12:00:00.000000Z", "devices": devices})
    monkeypatch.setattr(_rows, "why", lambda path: [gattbench.explaining.incident(row) for row in (incident, other)])
    (batch,) = _rows.explained("a", "a", _rows.Settings({}))
    first, second = batch.to_pylist()
    assert first == {"path": "a", "day": date(2026, 2, 1), "plugin": "aquavate", "status": "ok", "error": None, **incident}
    assert (second["plugin"], second["device"], second["cause"], second["frames"]) == (None, None, None, [3])
    monkeypatch.setattr(_rows, "why", lambda path: [])
    (batch,) = _rows.explained("a", "a", _rows.Settings({}))
    assert [(row["status"], row["what"]) for row in batch.to_pylist()] == [("ok", None)]


def test_what_the_program_fails_at_is_tried_again_and_then_a_row(spark, capture, tmp_path, monkeypatch):
    path = fleet.captures(spark, capture("aquavate-sync"))
    rows = fleet.check(path, timeout=1e-6, attempts=3).collect()
    assert [(row["status"], row["error"]) for row in rows] == [("failed", "the program took over 1e-06 s")]
    settings = _rows.Settings({"timeout": 1e-6}, attempts=2)
    batch = pa.RecordBatch.from_pylist([{"path": str(capture("aquavate-sync"))}])
    with pytest.raises(gattbench.TimedOut):
        list(_rows.batches(batch, 0, settings, _rows.CHECKS))
    assert list(_rows.batches(batch, 1, settings, _rows.CHECKS))[0]["status"].to_pylist() == ["failed"]


def test_mistakes_of_the_caller_are_errors_before_the_job(spark, folder, tmp_path):
    captures = fleet.captures(spark, folder)
    with pytest.raises(gattbench.UsageError, match="unknown field"):
        fleet.decode(captures, ["btatt.handel"])
    with pytest.raises(ValueError, match="two columns would have this name"):
        _rows.column_names(["btatt.value", "btatt_value"])
    with pytest.raises(FileNotFoundError, match="there is no file in"):
        fleet.captures(spark, tmp_path)
    with pytest.raises(gattbench.UsageError, match="no column path"):
        fleet.check(spark.range(1))


def test_the_report(checks, made, tmp_path):
    report = fleet.fleet_report(checks, least=4)
    statuses = Counter(capture.status for capture in made)
    readable = [capture for capture in made if capture.status != "unreadable"]
    assert report.summary["captures"] == COUNT and report.summary["status"] == dict(statuses)
    rules = {(row["plugin"], row["rule"]): row for row in report.rules}
    new = [capture for capture in readable if capture.firmware == "0.2.0"]
    broken = [capture for capture in new if capture.is_broken]
    rule = rules["aquavate", "AQ-060"]
    assert (rule["failed"], rule["judged"]) == (len(broken), len([one for one in readable if one.plugin == "aquavate"]))
    assert rule["by_firmware"]["0.1.0"] == 1 and rule["by_firmware"]["0.2.0"] == pytest.approx(1 - len(broken) / len(new))
    firmware = {row["firmware"]: row for row in report.firmware}
    assert set(firmware) == {"0.1.0", "0.2.0", "1.2"} and firmware["0.2.0"]["captures"] == len(new)
    regressions = {row["rule"]: row for row in report.regressions if row["before"] == "firmware 0.1.0"}
    # AQ-305 is about chunks that were cut: it had no results before.
    assert set(regressions) == {"AQ-060", "AQ-304"}
    regression = regressions["AQ-060"]
    assert regression["after"] == "firmware 0.2.0"
    assert regression["example"] == str(broken[0].path) and regression["since"].date() == broken[0].day
    assert {row["path"] for row in report.worst} == {str(one.path) for one in broken}
    assert {row["path"] for row in report.damaged} == {str(one.path) for one in made if one.status != "ok"}
    assert sum(row["broken"] for row in report.devices) == len(broken)

    report.to_json(tmp_path / "report.json")
    data = json.loads((tmp_path / "report.json").read_text())
    assert data["summary"]["first_day"] == "2026-02-01" and data["rules"][0]["rule"] == report.rules[0]["rule"]
    report.to_html(tmp_path / "report.html", link="https://captures.example/?of={path}&a=1")
    page = (tmp_path / "report.html").read_text()
    assert f'<a href="https://captures.example/?of={broken[0].path}&amp;a=1">' in page
    assert "src=" not in page and "AQ-060" in page
    report.to_html(tmp_path / "report.html")
    assert f'<a href="file://{broken[0].path}">' in (tmp_path / "report.html").read_text()


def test_a_day_that_is_worse_than_those_before():
    cell = {
        "plugin": "p", "rule": "R", "text": "", "firmware": "1", "judged": 100, "failed": 10, "judged_new": 20,
        "failed_new": 10, "since": None, "example": None, "since_new": datetime(2026, 1, 2),
        "example_new": "x", "seen": 0,
    }  # fmt: skip
    (found,) = _regressions([cell], None, 10, 0.05)
    assert (found["before"], found["rate_before"], found["rate_after"], found["example"]) == ("earlier days", 1, 0.5, "x")
    assert not _regressions([cell], None, 21, 0.05) and not _regressions([cell], None, 10, 0.5)


def test_the_command(spark, folder, tmp_path, capsys, monkeypatch):
    from gattbench.spark.__main__ import main

    # The command ends its session; the tests go on with theirs.
    monkeypatch.setattr(type(spark), "stop", lambda self: None)
    table = str(tmp_path / "checks")
    assert main(["check", str(folder), "--out", table, "--per-task", "10", "--waivers", str(WAIVERS)]) == 0
    assert main(["report", table, "--json", str(tmp_path / "report.json")]) == 0
    assert main(["check", str(tmp_path / "none" / "*"), "--out", table]) == 2
    output = capsys.readouterr()
    assert f"{COUNT} captures of" in output.out and "there is no file in" in output.err
    assert json.loads((tmp_path / "report.json").read_text())["summary"]["captures"] == COUNT
