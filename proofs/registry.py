"""All claims, by module, and how to run them.

A group of claims runs in one process: those of a Z3 module share the paths that it has explored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import import_module
from multiprocessing import get_context

from proofs.claims import Claim, Outcome, decide

MODULES = (
    "cover",
    "deltas",
    "hops",
    "steps",
    "closure",
    "loading",
    "unions",
    "literal",
    "arithmetic",
    "major",
    "minor",
    "extremes",
    "contracts",
)
"""Fast imports first: a search by name stops when everything is found."""

WORKERS = 2


def module_claims(module: str) -> tuple[Claim, ...]:
    """The claims of one module."""
    claims: tuple[Claim, ...] = import_module(f"proofs.{module}").CLAIMS
    return claims


def claims() -> list[Claim]:
    """All claims."""
    return [claim for module in MODULES for claim in module_claims(module)]


def find(names: Collection[str]) -> list[Claim]:
    """The claims with these names; only as many modules as necessary are loaded."""
    found: list[Claim] = []
    for module in MODULES:
        found += [claim for claim in module_claims(module) if claim.name in names]
        if len(found) == len(set(names)):
            return found
    missing = set(names) - {claim.name for claim in found}
    raise KeyError(f"there is no claim {', '.join(sorted(missing))}")


def groups(chosen: Collection[str]) -> list[tuple[str, ...]]:
    """Names of claims that run together: slow ones alone and first, the others by module."""
    slow: list[tuple[str, ...]] = []
    quick: dict[str, list[str]] = {}
    for module in MODULES:
        for claim in module_claims(module):
            if claim.name not in chosen:
                continue
            if claim.quick:
                quick.setdefault("minor" if module == "extremes" else module, []).append(claim.name)
            else:
                slow.append((claim.name,))
    return [*reversed(slow), *map(tuple, quick.values())]


def run_group(names: tuple[str, ...]) -> list[Outcome]:
    """Decide a group of claims, in this process."""
    return [decide(claim) for claim in find(names)]


def run(chosen: Collection[str], workers: int = WORKERS) -> Iterator[Outcome]:
    """Decide claims in several processes; yields outcomes as they complete."""
    todo: Sequence[tuple[str, ...]] = groups(chosen)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(run_group, group) for group in todo]):
            yield from done.result()
