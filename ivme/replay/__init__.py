"""Recorded runs, run again: `replay` follows a trace with all checks, `explain` puts a state into words."""
