"""A cluster of Spark on this machine, whose workers are processes that a test can end."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO

import pyspark
from pyspark.sql import SparkSession


class Cluster:
    """A master and workers of one core each."""

    def __init__(self, folder: Path):
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"spark://127.0.0.1:{port}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self._master = self._start("master.Master", "--port", str(port), name="master")
        self._wait("master", "Starting Spark master")

    def add_worker(self) -> "subprocess.Popen[bytes]":
        """Starts a worker, and waits until the master knows it."""
        name = f"worker-{len(self.workers) + 1}"
        options = ["--cores", "1", "--memory", "1g", "--work-dir", str(self.folder / name)]
        worker = self._start("worker.Worker", *options, self.url, name=name)
        self.workers.append(worker)
        self._wait(name, "Successfully registered with master")
        return worker

    def _start(self, main: str, *arguments: str, name: str) -> "subprocess.Popen[bytes]":
        home = pyspark.__path__[0]
        environment = {
            **os.environ, "SPARK_HOME": home, "SPARK_DAEMON_MEMORY": "256m", "SPARK_LOCAL_DIRS": str(self.folder),
            "PYSPARK_PYTHON": sys.executable,
        }  # fmt: skip
        command = [f"{home}/bin/spark-class", f"org.apache.spark.deploy.{main}", "--host", "127.0.0.1", "--webui-port", "0"]
        with self._log(name, "wb") as log:
            return subprocess.Popen(
                [*command, *arguments], env=environment, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
            )

    def _log(self, name: str, mode: str) -> IO[bytes]:
        return (self.folder / f"{name}.log").open(mode)

    def _wait(self, name: str, text: str) -> None:
        for _ in range(600):
            with self._log(name, "rb") as log:
                if text.encode() in log.read():
                    return
            time.sleep(0.1)
        with self._log(name, "rb") as log:
            raise TimeoutError(f"{name}: {log.read().decode()[-2000:]}")

    def kill(self, worker: "subprocess.Popen[bytes]") -> None:
        """Ends a worker as a machine that fails does; its executor ends with it."""
        worker.send_signal(signal.SIGKILL)
        worker.wait()

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in (*self.workers, self._master):
            if process.poll() is None:
                process.terminate()
            process.wait()


@contextmanager
def session(master: str, **settings: str) -> Iterator[SparkSession]:
    """A session of this process; there is one at a time."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).appName("gattbench tests")
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    builder = builder.config("spark.executor.memory", "512m").config("spark.executor.cores", "1")
    for name, value in {"spark.sql.shuffle.partitions": "4", **settings}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        spark.sparkContext.setLogLevel("ERROR")
        yield spark
    finally:
        spark.stop()
