"""Spark sessions: one place that makes them.

Everything in `ivme.spark` takes a session and leaves its settings alone, so the same code runs locally and on
a cluster. Settings that answers depend on are set in every session made here: ANSI mode, so that an integer
overflow raises instead of wrapping, and UTC. The rest makes a small local session start quickly and stay
private.
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
"""For every session, on a cluster too."""

LOCAL = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.driver.memory": "1g",
    # the second compiler and a parallel collector do not pay off for a few short jobs
    "spark.driver.extraJavaOptions": (
        f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dlog4j2.configurationFile={LOG4J.as_uri()}"
    ),
    "spark.log.level": "WARN",
}
"""For a local session only: quick to start, quiet, not reachable from other machines."""


def make_session(
    given: SparkSession | str | None = None, *, cores: int = 2, name: str = "ivme", **settings: str
) -> SparkSession:
    """A session to work with.

    given     a session, returned as it is; a master URL ("spark://…", "yarn") for a session there, whose
              sizes are left to the cluster's configuration; None for a local one with `cores` cores
    settings  more Spark settings, with "__" for the dots: spark__driver__memory="4g"

    Cost: some seconds for a new one.  Bad input: a `NoJavaError` where there is no Java ≥ 17.
    """
    if given is not None and not isinstance(given, str):
        return given
    ensure_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else workers may run another Python
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
