"""The storage in dicts: for every ring, compiled or not. Values are their own handles, lines are dicts."""
