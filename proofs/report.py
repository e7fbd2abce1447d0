"""The table of claims, for the terminal and for README.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from planted import MUTANTS
from proofs.claims import Claim, Outcome, Verdict

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- claims: made by `python -m proofs --write` -->", "<!-- end of claims -->"


def scope_of(claim: Claim) -> str:
    """The claim's scope in words."""
    return f"*{claim.scope.value}*: {claim.extent}"


def mutants_of(claim: Claim) -> str:
    """The planted bugs that the claim must refute."""
    return ", ".join(mutant.name for mutant in MUTANTS if claim.name in mutant.claims)


def terminal_table(claims: Sequence[Claim], outcomes: Mapping[str, Outcome]) -> str:
    """One block for each claim: verdict and seconds, statement, and what it rests on."""
    lines = []
    for claim in claims:
        outcome = outcomes[claim.name]
        found = "covered" if outcome.verdict is Verdict.OBTAINED else "because"
        lines += [
            f"{outcome.verdict.value:<12} {outcome.seconds:7.2f} s  {claim.name}  [{claim.instrument}]",
            f"    {claim.statement}",
            f"    paper: {claim.label}; {scope_of(claim).replace('*', '')}",
            f"    runs: {', '.join(claim.guards)}; assumes: {claim.assumes}",
            f"    mutants: {mutants_of(claim)}",
            f"    {found}: {outcome.detail[:400]}",
        ]
    return "\n".join(lines)


def summary(outcomes: Iterable[Outcome]) -> str:
    """How many claims were obtained."""
    found = list(outcomes)
    good = sum(outcome.verdict is Verdict.OBTAINED for outcome in found)
    seconds = sum(outcome.seconds for outcome in found)
    return f"{good} of {len(found)} claims obtained, {seconds:.0f} s of CPU time"


def markdown_table(claims: Sequence[Claim], seconds: Mapping[str, str]) -> str:
    """The table of README.md."""
    rows = [
        "| claim | statement | paper | instrument | scope | assumes | guards | mutants refuted | s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for claim in claims:
        cells = (
            f"`{claim.name}`" + ("" if claim.quick else " (slow)"),
            claim.statement,
            claim.label,
            claim.instrument,
            scope_of(claim),
            claim.assumes,
            ", ".join(claim.guards),
            mutants_of(claim),
            seconds.get(claim.name, "?"),
        )
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def readme_with(table: str, text: str) -> str:
    """README.md with another table of claims."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


def seconds_in(text: str) -> dict[str, str]:
    """The seconds that README.md has for each claim."""
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(" | ")]
        if line.startswith("| `") and len(cells) == 9:
            found[cells[0].split("`")[1]] = cells[-1].removesuffix("|").strip()
    return found
