"""Processes that ivme starts, and that end with it."""
