"""`GraphTriangles`: the triangles of a graph, kept up to date while edges come and go.

options     what a graph is made with, checked
views       the views of what is enumerated with the paper's delay
changes     the triangles of an update
maintained  edges come and go; what it is, `rebuild()`, `check()`
structure   vertices and edges, by the names of networkx too
answers     triangles: counts, lists, clustering, `top`, tables
triangles   `GraphTriangles`: all of these, copied, compared, saved and loaded
spans       times and spans, exactly
window      `GraphWindow`: the last edges of a stream
"""

from __future__ import annotations

from ivme.graph.options import Edge, Repeated, SelfLoops, Track, Triangle
from ivme.graph.triangles import GraphTriangles
from ivme.graph.window import By, GraphWindow

__all__ = ["By", "Edge", "GraphTriangles", "GraphWindow", "Repeated", "SelfLoops", "Track", "Triangle"]
