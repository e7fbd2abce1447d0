"""DuckDB as an engine for the conformance kit: the query is recomputed for every answer.

Multiplicities are HUGEINTs of 128 bits; `largest` keeps the product of three, summed over a group, in range.
"""

import duckdb

from ivme.conformance import Capabilities

CAPABILITIES = Capabilities(refuses=True, largest=2**39)
COLUMNS = {"A": "R.x", "B": "S.x", "C": "T.x"}


class DuckDBEngine:
    def __init__(self, free: str) -> None:
        self.database = duckdb.connect(":memory:", config={"threads": 1})
        for name in "RST":
            self.database.execute(f"CREATE TABLE {name} (x INTEGER, y INTEGER, m HUGEINT)")
        columns = "".join(f"{COLUMNS[variable]}, " for variable in free)
        self.query = (
            f"SELECT {columns}SUM(R.m * S.m * T.m) FROM R, S, T "
            f"WHERE R.y = S.x AND S.y = T.x AND T.y = R.x "
            + (f"GROUP BY {columns[:-2]}" if free else "HAVING COUNT(*) > 0")
        )

    def update(self, relation: str, x: int, y: int, multiplicity: int) -> None:
        execute = self.database.execute
        found = execute(f"SELECT m FROM {relation} WHERE x = ? AND y = ?", (x, y)).fetchone()
        after = (found[0] if found else 0) + multiplicity
        if after < 0:
            raise ValueError(f"{relation}({x}, {y}) has fewer copies")
        if found and after:
            execute(f"UPDATE {relation} SET m = ? WHERE x = ? AND y = ?", (after, x, y))
        elif found:
            execute(f"DELETE FROM {relation} WHERE x = ? AND y = ?", (x, y))
        else:
            execute(f"INSERT INTO {relation} VALUES (?, ?, ?)", (x, y, after))

    def batch(self, updates) -> None:
        self.database.begin()
        for update in updates:
            self.update(*update)
        self.database.commit()

    def rows(self):
        return [(row[:-1], row[-1]) for row in self.database.execute(self.query).fetchall()]

    def close(self) -> None:
        self.database.close()
