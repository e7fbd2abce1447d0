"""Proofs about the engine; none yet, see README.md beside this file."""
