"""The files that ivme writes and reads: versioned, written atomically, and sealed where they hold data.

files       atomic writes, and paths as users give them
documents   versions: `Format`, and JSON documents
structured  JSON documents as attrs objects, by cattrs
sealed      JSON lines with a checksum
traces      recorded runs (spec/TRACES.md)
saved       what snapshots of views and graphs share: notes, checks before reading
snapshots   the input of a view (spec/SNAPSHOTS.md)
graphs      a graph (spec/SNAPSHOTS.md)
answers     answers compared
"""
