"""Turso's materialized views as an engine for the conformance kit: incremental, and experimental (pyturso).

A tuple with multiplicity m is m rows, each with its own id, so that multiplicities are plain SQL bags; a
batch is a transaction. The kit's findings are in docs/findings/.
"""

from collections import defaultdict

import turso

from ivme.conformance import Capabilities

CAPABILITIES = Capabilities(largest=5)


class TursoEngine:
    """`names` are those of the three tables; with "RST" the view misses deletes (0.8.3)."""

    def __init__(self, free: str, names: str = "rst") -> None:
        self.database = turso.connect(":memory:", experimental_features="views")
        self.ids = defaultdict(list)
        self.next_id = 1
        r, s, t = names
        self.names = dict(zip("RST", names, strict=True))
        for name in names:
            self.database.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, x INTEGER, y INTEGER)")
        of = {"A": f"{r}.x", "B": f"{s}.x", "C": f"{t}.x"}
        columns = [f"{of[variable]} AS {variable.lower()}" for variable in free]
        groups = f" GROUP BY {', '.join(of[variable] for variable in free)}" if free else ""
        self.database.execute(
            f"CREATE MATERIALIZED VIEW v AS SELECT {', '.join([*columns, 'COUNT(*) AS m'])} "
            f"FROM {r} JOIN {s} ON {r}.y = {s}.x JOIN {t} ON {s}.y = {t}.x AND {t}.y = {r}.x{groups}"
        )
        self.database.commit()

    def update(self, relation: str, x: int, y: int, multiplicity: int) -> None:
        self.batch([(relation, x, y, multiplicity)])

    def batch(self, updates) -> None:
        for relation, x, y, multiplicity in updates:
            name = self.names[relation]
            for _ in range(abs(multiplicity)):
                if multiplicity > 0:
                    self.database.execute(f"INSERT INTO {name} VALUES (?, ?, ?)", (self.next_id, x, y))
                    self.ids[relation, x, y].append(self.next_id)
                    self.next_id += 1
                else:
                    gone = self.ids[relation, x, y].pop()
                    self.database.execute(f"DELETE FROM {name} WHERE id = ?", (gone,))
        self.database.commit()

    def rows(self):
        found = self.database.execute("SELECT * FROM v").fetchall()
        # COUNT(*) without GROUP BY is one row even if it counts nothing; the kit expects no row then
        return [(tuple(row[:-1]), row[-1]) for row in found if len(row) > 1 or row[-1]]

    def close(self) -> None:
        self.database.close()
