"""The graph kernel: the triangles of one edge set, on one symmetric adjacency."""
