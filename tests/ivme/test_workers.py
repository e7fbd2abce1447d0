"""Worker processes: they work, errors come back, and they end when their parent is killed."""

import os
import signal
import subprocess
import sys
import time

import pytest

from ivme.processes.pool import Here, workers

PARENT = """
import os, sys, time
from ivme.processes.pool import workers

if __name__ == "__main__":
    with workers(1) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        pool.submit(time.sleep, 600).result()
"""


def test_work_is_done_here_or_there() -> None:
    assert Here().submit(pow, 2, 5).result() == 32
    with pytest.raises(ZeroDivisionError):
        Here().submit(divmod, 1, 0).result()
    with workers(1) as pool:
        assert pool.submit(os.getpid).result() != os.getpid()
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result()


def test_a_worker_ends_when_its_parent_is_killed(tmp_path: os.PathLike[str]) -> None:
    script = os.path.join(tmp_path, "parent.py")
    with open(script, "w", encoding="utf-8") as stream:
        stream.write(PARENT)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        os.kill(worker, 0)
        parent.send_signal(signal.SIGKILL)
        parent.stdout.close()
    end = time.monotonic() + 60
    while (alive := _alive(worker)) and time.monotonic() < end:
        time.sleep(0.05)
    if alive:
        os.kill(worker, signal.SIGKILL)
    assert not alive


def _alive(pid: int) -> bool:
    """Whether it runs; one that ended and was not reaped does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stream:
            return stream.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False
