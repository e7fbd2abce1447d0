"""`ivme workload`: write a workload of the catalogue to a file, or list the families."""

from __future__ import annotations

import csv
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from ivme.cli import output
from ivme_spec.errors import InputError

if TYPE_CHECKING:
    from ivme.workloads import Definition, Update, Workload

COLUMNS = ("relation", "x", "y", "multiplicity")
SUFFIXES = (".jsonl", ".csv", ".parquet")


def workload(
    name: Annotated[str | None, typer.Argument(help="The family; --list shows all.")] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Argument(help="Its parameters, such as epsilon=1/2 updates=1000.", metavar="KEY=VALUE"),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            help="The file: a trace (.jsonl), .csv or .parquet; - for CSV on stdout.", metavar="FILE"
        ),
    ] = None,
    size: Annotated[
        int | None, typer.Option(help="The family's first parameter, whatever its name.", min=0)
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The seed, for random families.", min=0)] = None,
    show: Annotated[bool, typer.Option("--list", help="List the families and their parameters.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the file or the list as JSON.")] = False,
) -> None:
    """Write an adversarial workload to a file.

    \b
    Examples:
      ivme workload --list
      ivme workload zipf --out zipf.csv --size 100000 --seed 7 values=1000
      ivme workload intersection --out hard.jsonl --size 10000 epsilon=1/2
      ivme workload hub --out - --size 1000 | ivme run -

    The same family, parameters and seed give the same updates everywhere.
    """
    if show:
        _list(json)
        return
    if name is None or out is None:
        raise InputError("give a family and --out FILE, or --list to see the families")
    if out != "-" and Path(out).suffix.lower() not in SUFFIXES:
        raise InputError(f"{out}: the name must end in one of {', '.join(SUFFIXES)}; - is CSV on stdout")
    definition, made = _made(name, _parameters(name, parameters or [], size, seed))
    updates = _counted(made)
    if out == "-":
        _write_csv(sys.stdout, updates)
    else:
        _write(Path(out), definition, updates)
        facts = {"family": name, "parameters": dict(definition.parameters), "updates": len(made), "file": out}
        if json:
            output.say_json(output.versioned("written", facts))
        else:
            output.remark(f"{len(made)} updates written to {out}")


def _list(as_json: bool) -> None:
    from ivme.workloads import CATALOGUE

    families = [
        {"family": name, "parameters": " ".join(_shown(_signature(name))), "attacks": family.bound}
        for name, family in CATALOGUE.items()
    ]
    if as_json:
        output.say_json([output.versioned("family", family) for family in families])
    else:
        output.say_table(("family", "parameters", "attacks"), [list(family.values()) for family in families])


# --- parameters -----------------------------------------------------------------------------------------


def _signature(name: str) -> Mapping[str, inspect.Parameter]:
    """The parameters that a family takes from a command line.  Bad input: an `UnknownFamilyError`."""
    from ivme.workloads import CATALOGUE
    from ivme.workloads.catalogue import UnknownFamilyError

    if name not in CATALOGUE:
        raise UnknownFamilyError(f"there is no family {name!r}: the families are {', '.join(CATALOGUE)}")
    given = inspect.signature(CATALOGUE[name].make).parameters
    return {key: p for key, p in given.items() if p.default is p.empty or not callable(p.default)}


def _shown(signature: Mapping[str, inspect.Parameter]) -> Iterator[str]:
    for key, parameter in signature.items():
        default = parameter.default
        yield key if default is parameter.empty else f"[{key}={'' if default is None else default}]"


def _parameters(name: str, given: list[str], size: int | None, seed: int | None) -> dict[str, object]:
    signature = _signature(name)
    takes = f"{name} takes {' '.join(_shown(signature))}"
    pairs = [text.partition("=") for text in given]
    if size is not None:
        pairs.append((next(iter(signature)), "=", str(size)))
    if seed is not None:
        pairs.append(("seed", "=", str(seed)))
    found: dict[str, object] = {}
    for key, equals, text in pairs:
        if not equals or key not in signature:
            raise InputError(f"parameter {key + equals + text!r}: {takes}")
        if key in found:
            raise InputError(f"parameter {key!r} is given twice: {takes}")
        found[key] = _value(key, text, str(signature[key].annotation))
    missing = [key for key, p in signature.items() if p.default is p.empty and key not in found]
    if missing:
        raise InputError(f"parameter {missing[0]!r} is missing: {takes}")
    return found


def _value(key: str, text: str, annotation: str) -> object:
    if annotation == "bool":
        if text not in ("true", "false"):
            raise InputError(f"parameter {key}={text}: give true or false")
        return text == "true"
    if annotation.startswith("int"):
        if not text.isascii() or not text.isdecimal() or len(text) > 18:
            raise InputError(f"parameter {key}={text}: give an integer that is not negative")
        return int(text)
    return text


def _made(name: str, parameters: dict[str, object]) -> tuple[Definition, Workload]:
    """The workload.  Bad input, including what only its first update reveals: an `InputError`."""
    from ivme.workloads import define

    try:
        definition = define(name, **parameters)
        made = definition.workload()
        if len(made):
            made[0]
        return definition, made
    except InputError:
        raise
    except (ValueError, ArithmeticError) as error:
        given = " ".join(f"{key}={value}" for key, value in parameters.items())
        raise InputError(f"{name} {given}: {error}") from error


# --- files ----------------------------------------------------------------------------------------------


def _counted(made: Workload) -> Iterator[Update]:
    with output.progress("updates", len(made)) as advance:
        for number, update in enumerate(made):
            yield update
            if number % 1000 == 999:
                advance(1000)


def _write(path: Path, definition: Definition, updates: Iterator[Update]) -> None:
    from ivme.formats.files import atomic_writer

    if path.is_dir() or not path.parent.is_dir():
        raise InputError(
            f"{path}: {'it is a folder' if path.is_dir() else f'there is no folder {path.parent}'}"
        )
    suffix = path.suffix.lower()
    if suffix == ".jsonl":
        _write_trace(path, definition, updates)
        return
    with atomic_writer(path) as stream:
        if suffix == ".parquet":
            from ivme.cli.parquet import write_updates

            write_updates(stream, updates)
        else:
            text = TextIOWrapper(stream, encoding="utf-8", newline="")
            _write_csv(text, updates)
            text.detach()


def _write_csv(stream: IO[str], updates: Iterable[Update]) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(updates)


def _write_trace(path: Path, definition: Definition, updates: Iterator[Update]) -> None:
    from ivme.formats.traces import Header, Step, write_trace

    seed = definition.parameters.get("seed", 0)
    given = " ".join(f"{key}={value}" for key, value in definition.parameters.items())
    header = Header("", seed=seed if isinstance(seed, int) else None, note=f"{definition.family} {given}")
    write_trace(path, header, (Step("update", (update,)) for update in updates))
