"""SQLite as an engine for the conformance kit: the query is recomputed for every answer.

A CHECK refuses deletes of more copies than present. Integers have 64 bits, and a product that overflows
silently becomes a float: hence `largest`.
"""

import sqlite3

from ivme.conformance import Capabilities

CAPABILITIES = Capabilities(refuses=True, largest=2**19)
COLUMNS = {"A": "R.x", "B": "S.x", "C": "T.x"}


class SQLiteEngine:
    def __init__(self, free: str) -> None:
        self.database = sqlite3.connect(":memory:", isolation_level=None)
        for name in "RST":
            self.database.execute(
                f"CREATE TABLE {name} (x INTEGER, y INTEGER, m INTEGER CHECK (m >= 0), PRIMARY KEY (x, y))"
            )
        columns = "".join(f"{COLUMNS[variable]}, " for variable in free)
        self.query = (
            f"SELECT {columns}SUM(R.m * S.m * T.m) FROM R, S, T "
            f"WHERE R.y = S.x AND S.y = T.x AND T.y = R.x "
            + (f"GROUP BY {columns[:-2]}" if free else "HAVING COUNT(*)")
        )

    def update(self, relation: str, x: int, y: int, multiplicity: int) -> None:
        self.database.execute(
            f"INSERT INTO {relation} VALUES (?1, ?2, MAX(0, ?3)) ON CONFLICT DO UPDATE SET m = m + ?3"
            if multiplicity > 0
            else f"UPDATE {relation} SET m = m + ?3 WHERE x = ?1 AND y = ?2",
            (x, y, multiplicity),
        )
        if not self.database.execute("SELECT changes()").fetchone()[0]:
            raise ValueError("no such tuple")
        self.database.execute(f"DELETE FROM {relation} WHERE m = 0")

    def batch(self, updates) -> None:
        self.database.execute("BEGIN")
        for update in updates:
            self.update(*update)
        self.database.execute("COMMIT")

    def rows(self):
        return [(row[:-1], row[-1]) for row in self.database.execute(self.query)]

    def close(self) -> None:
        self.database.close()
