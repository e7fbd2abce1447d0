"""A worker in a process of its own: the same replies, and every way to fail is told."""

import io
import json
import sys

import pytest
from attrs import asdict

from bench import child
from bench.child import Child, ContenderError, reply
from bench.contenders import kernel
from bench.jobs import Job, Reply
from bench.session import Session
from bench.worker import serve
from tests.bench.fakes import Clock, fake


def test_a_child_answers_as_a_session_here() -> None:
    with Child({"IVME_PURE": "1"}) as process:
        assert process.kernel == "pure"
        for operation, job in (
            ("stream", Job("ivme", "dense", 200)),
            ("enumerate", Job("ivme", "dense", 200, "CA")),
        ):
            there, here = process.run(operation, job), Session().run(operation, job)
            assert (there.count, there.answer) == (here.count, here.answer)
            assert there.answer != ""
            assert there.seconds > 0
        prepared = process.run("prepare", Job("ivme", "intersection", 300), 1)
        assert (
            process.run("attack", Job("ivme", "intersection", 300), prepared.count).count
            == 2 * prepared.count
        )


def test_memory_is_measured_in_a_fresh_process() -> None:
    with Child() as process:
        found = process.run("memory", Job("floor", "sparse", 30_000), 30_000)
    # two dict entries for each tuple, and objects of 28 bytes for its values
    assert 50 < found.numbers["bytes"] / found.count < 1000


def test_an_error_there_is_told_and_the_child_goes_on() -> None:
    with Child() as process:
        with pytest.raises(ContenderError, match="InputError: there is no case 'none'") as caught:
            process.run("stream", Job("ivme", "none", 10))
        assert not caught.value.limit
        assert process.run("stream", Job("ivme", "sparse", 10)).count == 20


def test_a_child_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    process = Child()
    process._child.process.kill()
    with pytest.raises(ContenderError, match="killed") as caught:
        process.run("stream", Job("ivme", "sparse", 10))
    assert caught.value.limit
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(ContenderError, match="ended with 1") as caught:
        Child()
    assert not caught.value.limit


def test_a_child_that_takes_too_long() -> None:
    process = Child(timeout=20)
    process.timeout = 0.2
    with pytest.raises(ContenderError, match=r"no answer in 0\.2 s") as caught:
        process.run("stream", Job("ivme", "sparse", 10_000_000))
    assert caught.value.limit
    assert process._child.process.returncode is not None


def test_serving() -> None:
    clock, answers = Clock(), io.StringIO()
    session = Session([fake(clock, "ivme", lambda size: 1.0)])
    commands = [
        json.dumps({"do": "stream", "job": asdict(Job("ivme", "zipf", 30)), "number": 1}),
        json.dumps({"do": "stream", "job": asdict(Job("other", "zipf", 30)), "number": 1}),
    ]
    serve(session, commands, answers)
    hello, first, second = map(json.loads, answers.getvalue().splitlines())
    assert hello == {"kernel": kernel()}
    assert reply(first).count == 60
    assert second == {"error": "KeyError: 'other'"}


def test_replies_survive_json() -> None:
    given = Reply(1.5, 3, "x", {"steps": 2.0})
    assert reply(json.loads(json.dumps(asdict(given)))) == given
    with pytest.raises(ContenderError, match="not a reply"):
        reply({"seconds": "1"})
    assert child.TIMEOUT > 0
