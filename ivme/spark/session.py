"""Spark sessions: one place that makes them.

Everything in `ivme.spark` takes a session and leaves its settings alone, so the same code runs here and on a
cluster. What answers depend on is set in every session that is made here: ANSI on, so that an integer that
does not fit raises instead of wrapping, and UTC. The rest makes a small local one start quickly and keep to
itself.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from ivme.spark.java import ensure_java

LOG4J = Path(__file__).with_name("log4j2.properties")

SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.ui.showConsoleProgress": "false",
}
"""For every session, also on a cluster."""

LOCAL = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.driver.memory": "1g",
    # with few short jobs the second compiler and the threads of a parallel collector do not pay
    "spark.driver.extraJavaOptions": (
        f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dlog4j2.configurationFile={LOG4J.as_uri()}"
    ),
    "spark.log.level": "WARN",
}
"""For a session on this machine only: quick to start, quiet, reachable from nowhere else."""


def make_session(
    given: SparkSession | str | None = None, *, cores: int = 2, name: str = "ivme", **settings: str
) -> SparkSession:
    """A session to work with.

    given     a session: it is returned as it is. A master URL ("spark://…", "yarn"): a session there, whose
              sizes are left to the cluster's configuration. None: a local one with `cores` cores
    settings  more Spark settings, with "__" for the dots: spark__driver__memory="4g"

    Cost: some seconds for a new one.  Bad input: a `NoJavaError` where there is no Java ≥ 17.
    """
    if given is not None and not isinstance(given, str):
        return given
    ensure_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else the workers may run another Python
    chosen = dict(SETTINGS)
    master = given or f"local[{cores}]"
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        chosen |= LOCAL
    chosen |= {key.replace("__", "."): value for key, value in settings.items()}
    builder = SparkSession.builder.master(master).appName(name)
    for key, value in chosen.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
