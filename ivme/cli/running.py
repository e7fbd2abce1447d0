"""The work of `ivme run`: read, maintain, watch, checkpoint, and output the answer."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from fractions import Fraction
from functools import partial
from pathlib import Path

from attrs import frozen

from ivme import rings
from ivme.cli import output
from ivme.cli.checkpoint import GRAPH, VIEW, Checkpoint, Position, Saved, open_checkpoint
from ivme.cli.headings import Columns, layout_for
from ivme.cli.maintained import Graph, Maintained, Relational, Row, top
from ivme.cli.reading import open_source, same_file
from ivme.cli.source import Options, Source, Update
from ivme.cli.tables import Answer, check_target, say_answer, say_json_answer, write_answer
from ivme.cli.watching import Follower, Reader, Watcher
from ivme.cli.windows import Windowed, parse_window
from ivme.graph import GraphTriangles, Repeated, SelfLoops, Track
from ivme.graph.window import By, GraphWindow
from ivme.view import TriangleView
from ivme_spec.errors import InputError, RefusedUpdateError
from ivme_spec.queries import head
from ivme_spec.thresholds import parse_epsilon

EVERY = 10_000
"""Updates between two checkpoints, by default."""

STRIDE = 1000
"""Updates between two steps of the progress bar."""


@frozen
class Job:
    """The options of `ivme run`."""

    path: str
    free: str | None = None
    epsilon: str | None = None
    graph: bool = False
    track: Track = "count"
    directed: bool = False
    self_loops: SelfLoops = "ignore"
    repeated: Repeated | None = None
    window: str | None = None
    by: By | None = None
    format: str | None = None
    columns: Columns | None = None
    header: bool | None = None
    separator: str | None = None
    strings: bool = False
    skip_refused: bool = False
    top: int | None = None
    watch: bool = False
    output: Path | None = None
    json: bool = False
    checkpoint: Path | None = None
    every: int | None = None

    def check(self) -> None:
        """Refuse incompatible options, before anything is read.  Bad input: an `InputError`."""
        if self.graph and self.free is not None:
            raise InputError(
                "--free is for updates of R, S and T; with --graph, --track says what is maintained"
            )
        if not self.graph and (self.directed or self.track != "count" or self.window is not None):
            raise InputError("--track, --directed and --window are for graphs: give --graph too")
        self._check_window()
        if self.top is not None and self.graph and self.track == "triangles":
            raise InputError("--top has no meaning for --track triangles: each triangle has multiplicity 1")
        if self.every is not None and self.checkpoint is None and not self.watch:
            raise InputError("--every is for --checkpoint and --watch: give one of them too")
        if self.output is not None:
            check_target(self.output)
            if same_file(self.path, self.output):
                raise InputError(f"{self.output} is the input: give another file for the answer")

    def _check_window(self) -> None:
        if self.window is None:
            if self.by is not None:
                raise InputError("--by is for --window: give it too")
            return
        parse_window(self.window, self.by)
        if self.repeated not in (None, "count"):
            raise InputError(
                f"--repeated {self.repeated} does not work with --window: an edge that comes again stays "
                "until its last occurrence expires; leave it out"
            )
        if self.checkpoint is not None:
            raise InputError(
                "--checkpoint does not work with --window: the order of its edges is in no snapshot; start "
                "again from the input"
            )


def perform(job: Job) -> None:
    """Run `ivme run`.

    Cost: amortized O(N^max(ε,1−ε)) for each update, constant memory besides what is maintained.  Bad input:
    an `InputError`; the output file is left as it was.
    """
    job.check()
    layout = layout_for(job.graph, job.window is not None)
    options = Options(layout, job.format, job.columns, job.header, job.separator, job.strings)
    with ExitStack() as stack:
        source = stack.enter_context(open_source(job.path, options))
        checkpoint: Checkpoint | None = None
        saved: Saved | None = None
        if job.checkpoint is not None:
            checkpoint = stack.enter_context(
                open_checkpoint(job.checkpoint, job.output, GRAPH if job.graph else VIEW)
            )
            saved = checkpoint.load()
        maintained = _made(job, source, saved)
        position = Position() if saved is None else Position(applied=saved.records, saved=saved.records)
        try:
            _consume(job, source, maintained, position, checkpoint, saved)
            _conclude(job, source, maintained, position)
        except KeyboardInterrupt as stop:
            raise output.Interrupted(_how_far(source, position, checkpoint)) from stop


def _how_far(source: Source, position: Position, checkpoint: Checkpoint | None) -> str:
    said = f"after {position.applied} updates of {source.name}"
    if checkpoint is None:
        return f"{said}; there is no checkpoint (--checkpoint FOLDER makes them)"
    if not position.saved:
        return f"{said}, before the first checkpoint in {checkpoint.folder}"
    return (
        f"{said}; the checkpoint in {checkpoint.path} has the first {position.saved}, and the same command "
        "goes on from there"
    )


def _made(job: Job, source: Source, saved: Saved | None) -> Maintained:
    epsilon = parse_epsilon(job.epsilon or source.epsilon or "1/2")
    if job.window is not None:
        make = partial(
            GraphWindow, directed=job.directed, epsilon=epsilon, track=(job.track,), self_loops=job.self_loops
        )
        return Windowed.of(job.window, job.by, make, job.track)
    if job.graph:
        return _graph(job, epsilon, saved)
    free = head(source.free or "" if job.free is None else job.free)
    if saved is None:
        ring = {None: rings.NATURALS, "ℕ": rings.NATURALS, "ℤ": rings.INTEGERS}.get(source.ring)
        if ring is None:
            raise InputError(f"{source.name} is a trace over the ring {source.ring}; run knows ℕ and ℤ")
        return Relational(TriangleView(free, epsilon, ring=ring))
    view = TriangleView.load(saved.path)
    if (view.free, view.epsilon) != (free, epsilon):
        raise InputError(
            f"the checkpoint in {saved.path.parent} is of the query {view.free!r} with ε = {view.epsilon}, "
            f"not {free!r} with ε = {epsilon}: give these, or another folder"
        )
    return Relational(view)


def _graph(job: Job, epsilon: Fraction, saved: Saved | None) -> Graph:
    graph = GraphTriangles(job.directed, epsilon, (job.track,), job.self_loops, job.repeated or "ignore")
    if saved is None:
        return Graph(graph, job.track)
    found = GraphTriangles.load(saved.path)
    if (was := _options(found)) != (now := _options(graph)):
        raise InputError(
            f"the checkpoint in {saved.path.parent} is of {was}; this is {now}: give another folder"
        )
    loops, repeated = (saved.passed_over.get(name, 0) for name in ("loops", "repeated"))
    return Graph(found, job.track, loops=loops, repeated=repeated)


def _options(graph: GraphTriangles) -> str:
    kind = "a directed" if graph.directed else "an undirected"
    return (
        f"{kind} graph with ε = {graph.epsilon}, --track {' '.join(graph.track)}, --self-loops "
        f"{graph.self_loops} and --repeated {graph.repeated}"
    )


def _shown(source: Source) -> Generator[tuple[int, Update], None, None]:
    """The records of a source, with a progress bar on a terminal."""
    number = shown = 0
    with output.progress(source.measure, source.total) as advance:
        for number, record in enumerate(source.records, 1):
            yield record
            if number % STRIDE == 0:
                now = number if source.done is None else source.done()
                advance(now - shown)
                shown = now
        advance((number if source.done is None else source.done()) - shown)


def _consume(
    job: Job,
    source: Source,
    maintained: Maintained,
    position: Position,
    checkpoint: Checkpoint | None,
    saved: Saved | None,
) -> None:
    """Apply all records; those before the checkpoint are only compared with it."""
    passed = 0 if saved is None else saved.records
    every = job.every or EVERY
    changes = _watcher(maintained, job) if job.watch else None
    with closing(_shown(source)) as records:
        for line, update in records:
            if checkpoint is None:
                position.records += 1
            else:
                position.consume(update)
                if position.records <= passed:
                    if position.records == passed:
                        _same(position, saved, source)
                    continue
            try:
                maintained.apply(update)
            except RefusedUpdateError as error:
                if not job.skip_refused:
                    raise InputError(
                        f"{source.at(line)}: refused: {error} (--refused skip leaves it out)"
                    ) from error
                position.refused += 1
                output.remark(f"{source.at(line)}: refused: {error}")
            except InputError as error:
                raise InputError(f"{source.at(line)}: {error}") from error
            position.applied = position.records
            if checkpoint is not None and position.records % every == 0:
                checkpoint.save(maintained, position)
            if changes is not None and position.records % (job.every or 1) == 0:
                changes.look(position.records)
    if position.records < passed:
        raise InputError(
            f"{source.name} has {position.records} updates, and the checkpoint was made after {passed}: "
            "it is shorter than before; give the same input, or another folder"
        )
    if changes is not None:
        changes.look(position.records)
    if checkpoint is not None and (saved is None or position.records > passed):
        checkpoint.save(maintained, position)


def _same(position: Position, saved: Saved | None, source: Source) -> None:
    assert saved is not None
    if position.digest.hexdigest() != saved.sha256:
        raise InputError(
            f"the first {saved.records} updates of {source.name} are not those that the checkpoint was made "
            "from: give the same input (and the same options to read it), or another folder"
        )
    position.refused = saved.refused


# --- answers --------------------------------------------------------------------------------------------


def _rows(maintained: Maintained, job: Job) -> Iterator[Row]:
    rows = maintained.rows()
    return rows if job.top is None else iter(top(rows, job.top))


def _conclude(job: Job, source: Source, maintained: Maintained, position: Position) -> None:
    facts = {**maintained.facts(), "updates": position.records, "refused": position.refused}
    answer = Answer(maintained.columns, lambda: _rows(maintained, job), facts)
    if job.output is not None:
        write_answer(job.output, answer)
    elif job.watch:
        pass  # the changes have been printed
    elif job.json:
        say_json_answer(answer)
    else:
        say_answer(answer)
    said = ", ".join(f"{name} {value}" for name, value in facts.items() if value != "")
    output.remark("; ".join([said, *source.remarks(), *maintained.remarks()]))


def _watcher(maintained: Maintained, job: Job) -> Watcher:
    """Rows of a query and triangles are followed by deltas; all else is read again at each look."""
    if isinstance(maintained, Relational) and maintained.view.free and job.top is None:
        return Follower(maintained, job.json)
    if isinstance(maintained, Graph) and job.track == "triangles":
        return Follower(maintained, job.json)
    return Reader(lambda: {row[:-1]: row[-1] for row in _rows(maintained, job)}, job.json)
