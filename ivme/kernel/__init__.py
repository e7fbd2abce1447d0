"""The engine: what mypyc compiles, the whole folder, and what runs interpreted where it is not compiled.

Imports `ivme_spec` and nothing else of ours. `ivme.kernel`, the attribute, is the name of the kernel that
runs, "compiled" or "pure"; import from this package with `from ivme.kernel.engine import Engine`.
"""
