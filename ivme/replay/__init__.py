"""Recorded runs: `replay` runs a trace with all checks, `explain` describes a state in words."""
