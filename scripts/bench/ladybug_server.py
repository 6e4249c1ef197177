"""Answer C3 and C4 out of ladybug: a line of JSON in, a line of JSON out.

It runs in ladybug's own environment, started by `peer_hops.py`, and imports nothing else. The first
line are the pairs of items and components; each other line is a task, and its answer holds the
found items and the processor seconds of this process.
"""

import csv
import json
import sys
import tempfile
import time
from pathlib import Path

import ladybug

COMMON_SHARE = 0.2
SHARED, APART, WIDEST, K = 2, 2, 12, 10

FIRST_HOP = """
MATCH (c:Component)<-[:Has]-(i:Item) WHERE c.id IN $asked RETURN count(DISTINCT i.id)
"""
COMMON = """
MATCH (c:Component)<-[:Has]-(i:Item) WHERE c.id IN $asked WITH DISTINCT i
MATCH (i)-[:Has]->(d:Component) WHERE NOT d.id IN $asked WITH d, count(*) AS used
WHERE used >= $enough RETURN d.id, used ORDER BY used DESC, d.id LIMIT 12
"""
EXPAND = """
MATCH (c:Component)<-[:Has]-(i:Item) WHERE c.id IN $both
WITH i, count(*) AS total, sum(CASE WHEN c.id IN $common THEN 1 ELSE 0 END) AS strength
RETURN i.id, total, strength ORDER BY total DESC, strength DESC, i.id LIMIT 40
"""
ALIKE = """
MATCH (c:Component)<-[:Has]-(i:Item) WHERE c.id IN $telling AND i.id <> $example
AND i.size >= $least AND i.size <= $most WITH i, count(*) AS shared WHERE shared >= $shared
RETURN i.id, shared, i.size ORDER BY shared DESC, i.size, i.id LIMIT 10
"""

QUERIES = {"first": FIRST_HOP, "common": COMMON, "expand": EXPAND, "alike": ALIKE}


class Hops:
    """A graph in ladybug, and the queries of both tasks."""

    def __init__(self, folder: Path, pairs: list) -> None:
        self._connection = ladybug.Connection(ladybug.Database(str(folder / "graph")))
        sizes: dict = {}
        for item, _ in pairs:
            sizes[item] = sizes.get(item, 0) + 1
        for what in (
            "CREATE NODE TABLE Item(id INT64, size INT64, PRIMARY KEY(id))",
            "CREATE NODE TABLE Component(id INT64, PRIMARY KEY(id))",
            "CREATE REL TABLE Has(FROM Item TO Component)",
        ):
            self._connection.execute(what)
        self._load(folder, "Item", sizes.items())
        self._load(folder, "Component", [(one,) for one in sorted({one for _, one in pairs})])
        self._load(folder, "Has", pairs)

    def _load(self, folder: Path, table: str, rows: object) -> None:
        path = folder / f"{table}.csv"
        with path.open("w", newline="") as file:
            csv.writer(file).writerows(rows)
        self._connection.execute(f"COPY {table} FROM '{path}' (header=false)")

    def rows(self, name: str, **values: object) -> list:
        """The rows of a query."""
        return self._connection.execute(QUERIES[name], values).get_all()

    def expand(self, asked: list) -> list:
        """C3: what shares most with what is common among the items that have the asked."""
        ((first,),) = self.rows("first", asked=asked)
        enough = max(2, int(COMMON_SHARE * first))
        common = [one for one, _ in self.rows("common", asked=asked, enough=enough)]
        found = self.rows("expand", both=asked + common, common=common or [-1])
        return [row[0] for row in found]

    def alike(self, telling: list, example: int, size: int) -> list:
        """C4: what shares most with an example and is about as long."""
        found: list = []
        for apart in range(APART, APART + WIDEST):
            bounds = {"least": size - apart, "most": size + apart, "shared": SHARED}
            found = self.rows("alike", telling=telling, example=example, **bounds)
            if len(found) >= K:
                break
        return [row[0] for row in found]


def main() -> None:
    """Answer until nobody asks any more."""
    with tempfile.TemporaryDirectory() as folder:
        hops = Hops(Path(folder), json.loads(sys.stdin.readline()))
        for line in sys.stdin:
            task = json.loads(line)
            begun = time.process_time()
            if task["kind"] == "C3":
                found = hops.expand(task["components"])
            else:
                found = hops.alike(task["components"], task["example"], task["size"])
            print(json.dumps([found, time.process_time() - begun]), flush=True)


if __name__ == "__main__":
    main()
