"""The report: one self-contained HTML page that shows what `ivme verify` found.

No script, no network: the style sheet and the charts are in the file. Needs the extra `ivme[report]`.
"""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from ivme.extras import require
from ivme.formats.files import atomic_writer
from ivme.report.tables import bound_rows
from ivme.report.timeline import (
    class_pictures,
    cost_picture,
    followed_pictures,
    groups,
    sentence,
    size_picture,
)
from ivme.report.tradeoff import panels
from ivme.verify.results import Results
from ivme.verify.summary import Found, families, holds, problems, query_of
from ivme_spec.errors import InputError

__all__ = ["render", "write_report"]

MOST_PROBLEMS = 300
MOST_MARKS = 500
"""The page lists no more, and says how many there are."""


def write_report(
    results: Results, path: str | os.PathLike[str], traces: str | os.PathLike[str] | None = None
) -> None:
    """Write the page atomically.

    `traces` is the folder that the traces of problems are relative to: that of results.json, by default the
    page's own.  Cost: the size of the results.  Bad input: an `InputError` without the extra, or where the
    page cannot be written.
    """
    page = Path(path)
    try:
        text = render(results, page.parent, Path(traces) if traces is not None else page.parent)
    except InputError:
        raise
    except (ValueError, ArithmeticError) as error:  # for example an ε that is not a number
        raise InputError(f"the results cannot be shown: {error}") from error
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        with atomic_writer(page) as stream:
            stream.write(text.encode())
    except OSError as error:
        raise InputError(f"{page}: the report cannot be written: {error.strerror or error}") from error


def render(results: Results, folder: Path, traces: Path) -> str:
    """The page as text, with links that are relative to `folder`."""
    require("the report", "report", "jinja2")
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    def link(row: Found) -> str:
        """Where the trace is; always relative, so that it cannot lead to another site or run a script."""
        place = os.path.relpath(traces / row.problem.trace, folder)
        return "./" + quote(place.replace(os.sep, "/"))

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"count": lambda value: f"{value:,}", "share": _share, "three": _three}
    listed = list(problems(results))
    timeline = results.timeline
    drawn = timeline if timeline is not None and timeline.steps and timeline.bases else None
    moments = drawn.moments if drawn is not None else ()
    template = environment.from_string(_asset("page.html"))
    return template.render(
        results=results,
        ok=holds(results),
        found=max(results.problems, len(listed)),
        style=Markup(_asset("page.css")),
        svg=Markup,
        query_of=query_of,
        sentence=sentence,
        problems=listed[:MOST_PROBLEMS],
        hidden=max(0, len(listed) - MOST_PROBLEMS),
        link=link,
        there=lambda row: (traces / row.problem.trace).is_file(),
        panels=panels(results.exponents),
        bounds=bound_rows(results.runs),
        families=families(results.runs),
        timeline=drawn,
        cost=cost_picture(drawn) if drawn is not None else None,
        groups=groups(drawn.steps) if drawn is not None else [],
        marks=drawn.marks[:MOST_MARKS] if drawn is not None else (),
        size=size_picture(drawn) if drawn is not None and moments else None,
        classes=class_pictures(drawn) if drawn is not None and moments else [],
        class_columns=[
            name
            for column in (moments[0].columns if moments else ())
            for name in (f"#{column.variable} in {column.relation}: heavy", "#light")
        ],
        followed=followed_pictures(drawn) if drawn is not None and moments else [],
    )


def _asset(name: str) -> str:
    return (files("ivme.report") / name).read_text(encoding="utf-8")


def _share(ratio: float) -> str:
    return f"{ratio:.0%}"


def _three(value: float) -> str:
    return f"{value:.3g}"
