"""Contenders in turns: who is timed when, what is recorded, and what becomes of those that fail."""

import gzip
from fractions import Fraction
from pathlib import Path
from typing import NoReturn, cast

import pytest
from attrs import evolve

from bench import rounds, sections
from bench.cases import Database, case, multiset
from bench.contenders import CLASSICAL, ENGINES, FLOOR, OURS, PATHWAY, PURE, Contender, Engine
from bench.figures import Figures
from bench.jobs import Job, Reply
from bench.measure import digest, percentile
from bench.results import Measurement
from bench.rounds import Bench, in_turn
from bench.sections import Section, run
from bench.session import Session
from bench.snapshots import Snapshot
from ivme_spec.errors import InputError
from tests.bench.fakes import SMALL, Clock, Spender, fake


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    made.install(monkeypatch)
    return made


def found(bench: Bench, quantity: str) -> dict[tuple[str, int, str], tuple[float, ...]]:
    kept = [entry for entry in bench.measurements if entry.quantity == quantity]
    return {(entry.case, entry.size, entry.contender): entry.values for entry in kept}


def test_streams_take_turns(clock: Clock) -> None:
    contenders = [fake(clock, "ivme", lambda size: 2.0), fake(clock, "b", lambda size: 3.0)]
    bench = Bench(SMALL, contenders, say=str)
    bench.stream("zipf", 30, "", contenders)
    timed = [name for name, other in zip(clock.log[1::2], clock.log[::2], strict=True) if name == other]
    assert timed == ["ivme", "b", "b", "ivme", "ivme", "b"]  # each applies what comes before, then the stream
    assert found(bench, "update") == {("zipf", 30, "ivme"): (2.0,) * 3, ("zipf", 30, "b"): (3.0,) * 3}
    assert not bench.problems
    assert not bench.skipped


def test_what_is_loaded_before_is_not_timed(clock: Clock) -> None:
    contenders = [fake(clock, "ivme", lambda size: 1.0 if size >= 500 else 1000.0)]
    bench = Bench(SMALL, contenders, say=str)
    bench.stream("window", 600, "", contenders)  # over 60² pairs in each relation: 550 of 600 are distinct
    assert found(bench, "update") == {("window", 600, "ivme"): (1.0,) * 3}
    bench.attack("hub", 600, "", contenders)
    assert found(bench, "update")["hub", 600, "ivme"] == (1.0,) * 3


def test_attacks_are_repeated_until_the_clock_shows_something(clock: Clock) -> None:
    contenders = [fake(clock, "ivme", lambda size: 1e-5), fake(clock, "b", lambda size: 1e-3)]
    bench = Bench(SMALL, contenders, say=str)
    bench.attack("hub", 60, "", contenders)
    assert found(bench, "update")["hub", 60, "ivme"] == pytest.approx((1e-5,) * 3)
    assert found(bench, "update")["hub", 60, "b"] == pytest.approx((1e-3,) * 3)
    session = Session(contenders)
    assert session.run("prepare", Job("ivme", "hub", 60), 1).count * 2e-5 >= 0.001
    assert session.run("prepare", Job("b", "hub", 60), 1).count == 1


def test_exponents_of_a_run(clock: Clock) -> None:
    contenders = [
        fake(clock, "ivme", lambda size: 1e-6 * size**0.5),
        fake(clock, "b", lambda size: 1e-6 * size),
    ]
    bench = Bench(evolve(SMALL, only=("attacks", "hub")), contenders, say=str)
    figures = Figures(run(bench))
    for name, power in (("ivme", 0.5), ("b", 1.0)):
        assert figures.exponent(name, "hub") == pytest.approx(power, abs=0.02)
    assert figures.exponent("ivme", "hub", "ABC") == pytest.approx(0.5, abs=0.02)
    assert figures.sizes("b", "hub", "A") == []  # the other heads are for ours


def test_a_wrong_answer_is_a_problem(clock: Clock) -> None:
    right, wrong = fake(clock, "ivme", lambda size: 1.0), fake(clock, "b", lambda size: 1.0, wrong=True)
    for contenders, expected in (([right, wrong], 1), ([right, evolve(right, name="c")], 0)):
        bench = Bench(SMALL, contenders, say=str)
        bench.stream("dense", 120, "", contenders)
        assert len(bench.problems) == expected
        bench.attack("hub", 60, "A", contenders)
        assert len(bench.problems) == 2 * expected
    floor = evolve(wrong, kind="floor")
    bench = Bench(SMALL, [right, floor], say=str)
    bench.stream("dense", 120, "", [right, floor])
    assert not bench.problems  # it has no answers


def test_what_takes_too_long_is_left_out(clock: Clock) -> None:
    contenders = [fake(clock, "ivme", lambda size: 1e-9), fake(clock, "b", lambda size: 1e-3 * size)]
    bench = Bench(evolve(SMALL, longest=10.0, sizes=(30, 60, 120, 240)), contenders, say=str)
    for size in bench.settings.sizes:
        bench.stream("sparse", size, "", contenders)
    # b takes some 0.9, 3.6, 14 s: after two sizes the third can be foreseen, and once more after that
    assert [size for (_, size, name) in found(bench, "update") if name == "b"] == [30, 60]
    assert [size for (_, size, name) in found(bench, "update") if name == "ivme"] == [30, 60, 120, 240]
    assert [line.split(":")[0] for line in bench.skipped] == [
        "b on sparse, 120, △()",
        "b on sparse, 240, △()",
    ]


def test_limits_of_a_contender(clock: Clock) -> None:
    contenders = [
        fake(clock, "ivme", lambda size: 1.0, largest=50),
        fake(clock, "b", lambda size: 1.0, cases={"zipf": 60}, heads=("",)),
    ]
    bench = Bench(SMALL, contenders, say=str)
    bench.stream("zipf", 30, "", contenders)
    bench.stream("zipf", 60, "", contenders)
    bench.stream("zipf", 90, "", contenders)
    bench.stream("zipf", 30, "A", contenders)
    bench.stream("sparse", 60, "", contenders)
    bench.attack("hub", 60, "", contenders)
    kept = {(entry.case, entry.size, entry.free, entry.contender) for entry in bench.measurements}
    assert kept == {
        ("zipf", 30, "", "ivme"),
        ("zipf", 30, "", "b"),
        ("zipf", 60, "", "b"),
        ("zipf", 30, "A", "ivme"),
        ("hub", 60, "", "ivme"),
    }


def test_who_takes_long_gets_fewer_rounds(clock: Clock) -> None:
    contenders = [
        fake(clock, "ivme", lambda size: 1.0, least=2),
        fake(clock, "b", lambda size: 1.0),
        fake(clock, "c", lambda size: 0.3),
        fake(clock, "d", lambda size: 0.1),
    ]
    bench = Bench(evolve(SMALL, cell=35.0, rounds=4), contenders, say=str)
    bench.stream("sparse", 30, "", contenders)  # 60 updates
    rounds = {name: len(values) for (_, _, name), values in found(bench, "update").items()}
    assert rounds == {"ivme": 2, "b": 1, "c": 2, "d": 4}


def test_no_section_takes_the_time_of_others(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    shares = {"streams": Section(sections.streams, 3), "heads": Section(sections.heads, 1)}
    shares["graphs"] = Section(sections.graph, 100)  # without a folder it needs nothing
    monkeypatch.setattr(sections, "SECTIONS", shares)

    def ran(seconds: float) -> Bench:
        settings = evolve(SMALL, heads=100, minutes=48)
        bench = Bench(settings, [fake(clock, "ivme", lambda size: seconds)], say=str)
        run(bench)
        return bench

    slow, quick = ran(1.0), ran(0.1)
    # sparse, dense, … take 180, 360 and 720 s each: the sixth is begun within 36 minutes; a head takes 600 s
    sizes = [entry.size for entry in slow.measurements]
    assert sizes == [30, 60, 120, 30, 60, 120, 100]
    assert slow.skipped[0] == "zipf, 30: 36 of the 48 minutes were over"
    assert slow.skipped[-2] == "zipf, △(a, b, c): 48 of the 48 minutes were over"
    assert len(quick.measurements) == 12 + 16
    assert len(quick.skipped) == 1


def test_graphs_are_foreseen_from_shorter_ones(clock: Clock, tmp_path: Path) -> None:
    for name, edges in (("a", 50), ("b", 9), ("c", 20), ("d", 51)):
        lines = "".join(f"0 {v}\n" for v in range(1, edges + 1))
        with gzip.open(tmp_path / f"{name}.txt.gz", "wt", encoding="utf-8") as stream:
            stream.write(lines)
    contenders = [
        fake(clock, "ivme", lambda size: 0.01),
        fake(clock, "b", lambda size: size**2 / 100, cases={"graph:": 0}),
        fake(clock, "c", lambda size: 1.0, cases={"sparse": 1000}),
    ]
    settings = evolve(SMALL, only=("graphs",), folder=str(tmp_path), longest=20_000.0)
    bench = Bench(settings, contenders, say=str)
    results = run(bench)
    # b takes some n³/300 s for n updates, 6 of an edge: 530, 5,800, then 90,000 s, foreseen as 14,000
    assert Figures(results).cases == ["graph:b", "graph:c", "graph:a", "graph:d"]
    assert [case for (case, _, name) in found(bench, "update") if name == "b"] == [
        "graph:b",
        "graph:c",
        "graph:a",
    ]
    assert [line.split(" △")[0] for line in bench.skipped] == ["b on graph:d, 0,"]
    assert "c" not in Figures(results).contenders


def test_the_rounds_that_a_contender_is_sure_of() -> None:
    sure = {entry.name: entry.sure("sparse") for entry in ENGINES}
    assert {name for name, rounds in sure.items() if rounds >= 3} == {OURS, PURE, FLOOR, CLASSICAL, PATHWAY}
    assert {entry.sure("graph:x") for entry in ENGINES} == {1}  # no goals there


@pytest.mark.parametrize(
    ("error", "skipped", "problems"),
    [(MemoryError(), 1, 0), (RuntimeError("broken"), 0, 1), (InputError("refused"), 0, 1)],
)
def test_a_contender_that_fails(clock: Clock, error: Exception, skipped: int, problems: int) -> None:
    def fails(size: int) -> NoReturn:
        raise error

    contenders = [fake(clock, "b", fails), fake(clock, "ivme", lambda size: 1.0)]
    bench = Bench(SMALL, contenders, say=str)
    bench.stream("zipf", 30, "", contenders)
    assert found(bench, "update") == {("zipf", 30, "ivme"): (1.0,) * 3}
    assert (len(bench.skipped), len(bench.problems)) == (skipped, problems)
    assert all(line.startswith("b on zipf, 30, △(): ") for line in bench.skipped + bench.problems)


def test_an_engine_that_forgets_updates_is_a_problem(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Spender.apply
    monkeypatch.setattr(Spender, "apply", lambda self, updates: original(self, updates) - 1)
    bench = Bench(SMALL, [fake(clock, "ivme", lambda size: 1.0)], say=str)
    bench.stream("zipf", 30, "", bench.engines)
    assert bench.problems == ["ivme on zipf, 30, △(): RuntimeError: 59 of 60 updates were applied"]


def test_nothing_is_begun_after_the_time(clock: Clock) -> None:
    told: list[str] = []
    bench = Bench(
        evolve(SMALL, minutes=1e-9, only=("streams",)), [fake(clock, "ivme", float)], say=told.append
    )
    clock.now += 1.0
    results = run(bench)
    assert results.measurements == ()
    assert len(results.skipped) == 12  # 4 streams, 3 sizes
    assert not clock.log


def test_the_largest_update(clock: Clock) -> None:
    contenders = [fake(clock, "ivme", lambda size: 50.0 if size == 7 else 1.0)]
    reply = Session(contenders).run("slowest", Job("ivme", "sparse", 60))
    assert reply.numbers == {"median": 1.0, "p99": 50.0, "largest": 50.0, "clock": 0.0}
    assert reply.count == 120
    assert reply.seconds == pytest.approx(120 + 2 * 49, abs=150)  # there are 7 tuples at least twice
    assert reply.seconds >= 120 + 2 * 49


def test_percentiles_are_exact() -> None:
    hundred = list(range(1, 101))
    assert [percentile(hundred, p) for p in (0, 1, 50, 99, 100)] == [1, 1, 50, 99, 100]
    assert percentile([7], 99) == 7
    assert percentile(list(range(1, 1001)), 99) == 990
    assert percentile(list(range(1, 102)), 99) == 100


def test_what_goals_read_is_measured_thrice(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    told = iter(range(100))
    monkeypatch.setattr(
        Bench, "fresh", lambda *given: Reply(count=10, numbers={"bytes": float(10 * next(told))})
    )
    contenders = [fake(clock, "ivme", lambda size: 1.0), fake(clock, "b", lambda size: 1.0)]
    bench = Bench(evolve(SMALL, only=("memory",)), contenders, say=str)
    run(bench)
    kept = {(entry.contender, entry.free): entry.values for entry in bench.measurements}
    assert kept["ivme", ""] == (0.0, 1.0, 2.0)
    assert {len(values) for key, values in kept.items() if key != ("ivme", "")} == {1}


def test_a_database_at_once_and_one_by_one(clock: Clock) -> None:
    def loads(wrong: int) -> Contender:
        def make(free: str, epsilon: Fraction, database: Database) -> Engine:
            held = {relation: dict(rows) for relation, rows in database.items()}
            tuples = sum(map(len, held.values()))
            clock.now += 2.0 * tuples
            clock.log += ["bulk"] * (tuples > 0)
            return Spender(clock, "apply", lambda size: 6.0, free, held, wrong=wrong * tuples > 0)

        return Contender("ivme", make)

    for wrong in (0, 1):
        clock.log.clear()
        bench = Bench(evolve(SMALL, only=("loading",), loading=600), [loads(wrong)], say=str)
        run(bench)
        kept = {(entry.case, entry.free, entry.quantity): entry.values for entry in bench.measurements}
        cells = [(case, free) for case in ("sparse", "dense") for free in ("", "ABC")]
        assert kept == {
            **{(*cell, "bulk"): (2.0,) * 3 for cell in cells},
            **{(*cell, "insert"): (7.0,) * 3 for cell in cells},
            **{(*cell, "apply"): (6.0,) * 3 for cell in cells},
        }
        turns = [way for way, before in zip(clock.log, ["", *clock.log], strict=False) if way != before]
        assert turns[:5] == ["bulk", "apply by call", "apply", "apply by call", "apply"]
        assert clock.log.count("apply by call") > 600
        assert len(bench.problems) == 4 * wrong


def test_snapshots_are_compared_with_ours(clock: Clock) -> None:
    def counts(wrong: int) -> Snapshot:
        def load(database: Database) -> object:
            engine = Spender(clock, "x", lambda size: 0.0, "", database)
            answer = sum(m for _, m in engine) + wrong

            def count() -> int:
                clock.now += 600.0
                return answer

            return count

        return Snapshot(f"off by {wrong}", load)  # type: ignore[arg-type]  # a count

    for wrong in (0, 1):
        settings = evolve(SMALL, only=("snapshots",))
        bench = Bench(settings, [fake(clock, "ivme", lambda size: 2.0)], [counts(wrong)], say=str)
        results = run(bench)
        assert (
            Measurement("sparse", 60, "", f"off by {wrong}", "snapshot", (600.0,) * 3) in results.measurements
        )
        assert len(bench.problems) == wrong


def test_snapshots_have_each_tuple_once(clock: Clock) -> None:
    job = Job("ivme", "dense", 600)  # 44² pairs in each relation, so some of 200 are drawn twice
    given = multiset(case("dense", 600, job.seed).timed[0])
    database = Session([]).distinct(job)
    assert {name: set(rows) for name, rows in database.items()} == {name: set(given[name]) for name in given}
    assert {m for rows in given.values() for m in rows.values()} > {1}
    assert {m for rows in database.values() for m in rows.values()} == {1}


def test_digests() -> None:
    contender = fake(Clock(), "x", float)

    def of(*rows: tuple[tuple[int, ...], int]) -> str:
        return digest(cast("Engine", rows), contender)

    same = of(((1, 2), 3), ((4, 5), 6))
    assert same == of(((4, 5), 6), ((1, 2), 3)) != of()
    assert same.startswith("2 rows, 9 in all, ")
    others = [
        of(((1, 2), 6), ((4, 5), 3)),
        of(((1, 5), 3), ((4, 2), 6)),
        of(((1, 2), 9)),
        of(((1, 2), 3), ((4, 5), 6), ((1, 2), 3)),
    ]
    assert len({same, *others}) == 5


def test_words_that_name_nothing(clock: Clock) -> None:
    bench = Bench(evolve(SMALL, only=("hub", "hubz")), [fake(clock, "ivme", float)], say=str)
    with pytest.raises(
        InputError, match=r"--only 'hubz' names nothing; sections: streams, .*hub.*contenders: ivme"
    ):
        run(bench)


def test_missing_libraries_are_skipped(clock: Clock) -> None:
    engine = fake(clock, "b", float, needs=("no_such_library", "bench"))
    snapshot = Snapshot("c", lambda database: lambda: 0, "no_such_library")
    bench = Bench(evolve(SMALL, only=("streams", "snapshots")), [engine], [snapshot], say=str)
    run(bench)
    assert bench.skipped == [
        "b: no_such_library is not installed: pip install 'ivme[bench]'",
        "c: no_such_library is not installed: pip install 'ivme[bench]'",
    ]
    assert not bench.measurements


def test_turns() -> None:
    clock = Clock()
    entries = [fake(clock, name, float) for name in "abc"]
    assert ["".join(entry.name for entry in in_turn(entries, k)) for k in range(4)] == [
        "abc",
        "bca",
        "cab",
        "abc",
    ]
    assert in_turn([], 3) == []


def test_the_pure_kernel_is_asked_for_and_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    class Process:
        kernel = "compiled"

        def __init__(self, environment: object) -> None:
            asked.append(environment)

        def close(self) -> None:
            asked.append("closed")

    monkeypatch.setattr(rounds, "Child", Process)
    bench = Bench(SMALL, [], say=str)
    bench.runner("pathway")
    assert not bench.problems
    bench.runner("pure")
    assert bench.problems == ["the process for the pure kernel runs the compiled one"]
    assert bench.runner("pure") is bench.runner("pure")
    bench.close()
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    assert asked == [threads, {"IVME_PURE": "1", **threads}, "closed", "closed"]
