"""`ivme play`: prints its address, serves, and stops when it is interrupted."""

import signal
import socket
import subprocess
import sys
from urllib.request import urlopen

from tests.cli.conftest import Command


def listen() -> None:
    """A shell starts what runs in the background deaf to Ctrl-C, and so its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_it_serves_until_it_is_interrupted() -> None:
    command = [sys.executable, "-m", "ivme", "play", "--no-browser"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=listen,
    ) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            assert url.startswith("http://127.0.0.1:")
            with urlopen(url, timeout=10) as page:
                assert b"ivme play" in page.read()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (0, "", "ivme: stop with Ctrl-C\nivme: stopped\n")


def test_a_port_that_is_taken_is_one_line(ivme: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = ivme("play", "--no-browser", "--port", port)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"ivme: error: port {port} is not available: ")
    assert done.err.count("\n") == 1


def test_a_port_that_is_none(ivme: Command) -> None:
    done = ivme("play", "--no-browser", "--port", "65536")
    assert (done.code, done.err.count("\n")) == (2, 1)
