"""Lines of the bench beside peers for C3 and C4: the same hops in NetworkX, and in Cypher.

The graph is a generated catalogue of drinks, its items and what is in them. Every side is asked
about the same drinks in turn: C3 for what goes with two components, C4 for what is like a drink.
Ours does what retrieval does, families, flags and scores included, only without texts; the peers
count hops and order by the counts. Before anything is timed, the found items are compared.

ladybug, which goes on with Kuzu, is installed into an environment of its own where it is not there
yet; it answers line by line and tells its own processor time.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import networkx as nx
import numpy as np
from findings import say
from peer_environments import answering, ask_line, python_of
from peer_lines import PeerLine, Wanted, compare, each
from synthetic import DOMAIN, open_catalogue

from localrec.data.query import Constraint, Query
from localrec.graph.catalogue import Catalogue
from localrec.graph.domain_files import load_domain
from localrec.index.protocols import Labels, Vectors
from localrec.retrieval.expansion import retrieve_by_expansion
from localrec.retrieval.search_query import SearchParams, SearchQuery
from localrec.retrieval.similarity import retrieve_by_likeness
from localrec.workspace import OpenWorkspace

LADYBUG = "ladybug==0.22.0"
ASKED, SEED, K = 30, 5, 10
GOING_ON = 4 * K  # items that C3 orders by their texts
COMMON_SHARE, MOST_COMMON = 0.2, 12  # as retrieval has them
SHARED, APART, WIDEST = 2, 2, 12
SERVER = Path(__file__).with_name("ladybug_server.py")


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One question to the graph, in numbers of items and components.

    Args:
        kind: "C3" or "C4".
        components: What is asked for, or what tells the example.
        example: The item that others should be like; -1 for C3.
        size: How many components the example has.
    """

    kind: str
    components: tuple[int, ...]
    example: int = -1
    size: int = 0


Answerer = Callable[[Task], Sequence[int]]


class SilentEmbedder:
    """Embeds nothing."""

    name, size = "silent", 1

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Zeros, (n, 1)."""
        return np.zeros((len(texts), 1), dtype=np.float32)


class SilentField:
    """A text that resembles nothing: what is timed are the hops."""

    def similarities(self, query: Vectors, node_ids: Labels) -> Vectors:
        """No similarity, for each node."""
        return np.zeros(len(node_ids), dtype=np.float32)


def hop_lines(cache: Path, peers: Path, items: int, repeat: int) -> Iterator[PeerLine]:
    """C3 and C4 beside both peers over a catalogue of that size."""
    folder = open_catalogue(cache, items, 10 * items, say)
    with OpenWorkspace(folder) as workspace:
        catalogue = Catalogue(workspace.store, load_domain(DOMAIN))
    pairs = list(links_of(catalogue))
    ours, networkx = OurHops(catalogue), NetworkXHops(pairs)
    with ladybug_over(peers, pairs) as ladybug:
        for kind, tasks in (("C3", expansions(catalogue)), ("C4", likenesses(catalogue))):
            told = f"{overlap(ours, networkx, tasks):.0%} the same"
            name = f"{kind} over {items:,} items"
            pair = _timed(ours, tasks), _timed(networkx, tasks)
            yield compare(name, "NetworkX", pair, repeat, Wanted(1 / 10), told=told)
            told = f"{overlap(ours, ladybug, tasks):.0%} the same"
            pair = _timed(ours, tasks), lambda t=tasks: ladybug.seconds(t)
            name = f"{name}, Cypher"
            yield compare(name, "ladybug", pair, repeat, Wanted(1 / 5), told=told)


def _timed(answer: Answerer, tasks: Sequence[Task]) -> Callable[[], float]:
    return lambda: each(lambda: [answer(one) for one in tasks]) / len(tasks)


def links_of(catalogue: Catalogue) -> Iterator[tuple[int, int]]:
    """Each item with each of its components; a brand counts as what it is a brand of."""
    for item in range(len(catalogue)):
        for component in dict.fromkeys(catalogue.identity[catalogue.components_of(item)].tolist()):
            yield item, component


def expansions(catalogue: Catalogue) -> list[Task]:
    """Two components each that lie in one drink, and that nothing counts as beside themselves."""
    random = np.random.default_rng(SEED)
    tasks: list[Task] = []
    while len(tasks) < ASKED:
        own = catalogue.components_of(int(random.integers(len(catalogue)))).tolist()
        plain = [one for one in own if catalogue.below(one) == (one,)]
        if len(plain) > 1:
            tasks.append(Task(kind="C3", components=tuple(sorted(plain[:2]))))
    return tasks


def likenesses(catalogue: Catalogue) -> list[Task]:
    """Drinks drawn at random, told by their components without staples."""
    random = np.random.default_rng(SEED)
    tasks = []
    for item in random.integers(len(catalogue), size=ASKED).tolist():
        own = catalogue.components_of(item).tolist()
        telling = [one for one in own if one not in catalogue.staples] or own
        things = dict.fromkeys(catalogue.identity[telling].tolist())
        tasks.append(Task(kind="C4", components=tuple(things), example=item, size=len(own)))
    return tasks


def overlap(ours: Answerer, theirs: Answerer, tasks: Sequence[Task]) -> float:
    """The share of what the peer finds that is found by us, too."""
    found = [(set(ours(one)), set(theirs(one))) for one in tasks]
    return float(np.mean([len(mine & other) / max(1, len(other)) for mine, other in found]))


class OurHops:
    """Retrieval by C3 and C4 as questions use it, without texts."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._embedder = SilentEmbedder()

    def __call__(self, task: Task) -> list[int]:
        """The items that were found, best first: 40 for C3, all that are near enough for C4."""
        catalogue = self._catalogue
        pool = catalogue.every()
        if task.kind == "C3":
            keys = [catalogue.attributes[one] for one in task.components]
            asked = [Constraint(kind=one.kind, any_of=(one.key,)) for one in keys]
            query = self._query(Query(constraints=tuple(asked)))
            return retrieve_by_expansion(query, pool, SearchParams(k=K)).items.tolist()
        pool[task.example] = False
        query = self._query(Query(target=catalogue.keys[task.example]))
        return retrieve_by_likeness(query, pool, SearchParams(k=K)).items.tolist()

    def _query(self, intent: Query) -> SearchQuery:
        fields = {"description": SilentField()}
        return SearchQuery("a drink", intent, self._catalogue, self._embedder, fields)  # type: ignore[arg-type]


class NetworkXHops:
    """The hops as plain loops over a graph of NetworkX; items and components are pairs."""

    def __init__(self, pairs: Sequence[tuple[int, int]]) -> None:
        self._graph = nx.Graph()
        self._graph.add_edges_from((("item", item), ("of", one)) for item, one in pairs)

    def __call__(self, task: Task) -> list[int]:
        """The items that were found, best first."""
        return self._expand(task) if task.kind == "C3" else self._alike(task)

    def _expand(self, task: Task) -> list[int]:
        graph, asked = self._graph, {("of", one) for one in task.components}
        bonus = Counter(item for one in asked for item in graph[one])
        use = Counter(one for item in bonus for one in graph[item] if one not in asked)
        enough = max(2, int(COMMON_SHARE * len(bonus)))
        common = sorted(
            (one for one in use if use[one] >= enough), key=lambda one: (-use[one], one)
        )
        strength = Counter(item for one in common[:MOST_COMMON] for item in graph[one])
        total = strength + bonus
        best = sorted(total, key=lambda item: (-total[item], -strength[item], item))
        return [item for _, item in best[:GOING_ON]]

    def _alike(self, task: Task) -> list[int]:
        graph, example = self._graph, ("item", task.example)
        shared = Counter(item for one in task.components for item in graph["of", one])
        del shared[example]
        found: list[tuple[str, int]] = []
        for apart in range(APART, APART + WIDEST):
            found = [
                item
                for item, count in shared.items()
                if count >= SHARED and abs(graph.degree(item) - task.size) <= apart
            ]
            if len(found) >= K:
                break
        best = sorted(found, key=lambda item: (-shared[item], graph.degree(item), item))
        return [item for _, item in best[:K]]


class LadybugHops:
    """A process that answers out of ladybug."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def __call__(self, task: Task) -> list[int]:
        """The items that were found, best first."""
        found, _ = self._ask(task)
        return found

    def seconds(self, tasks: Sequence[Task]) -> float:
        """Processor seconds that its process took for one of the tasks."""
        return float(np.mean([self._ask(one)[1] for one in tasks]))

    def _ask(self, task: Task) -> tuple[list[int], float]:
        answer = ask_line(self._process, msgspec.json.encode(task).decode())
        return msgspec.json.decode(answer, type=tuple[list[int], float])


@contextmanager
def ladybug_over(peers: Path, pairs: Sequence[tuple[int, int]]) -> Iterator[LadybugHops]:
    """Keep ladybug over a graph, in an environment of its own."""
    with answering(python_of(peers, LADYBUG), SERVER) as process:
        if process.stdin:
            process.stdin.write(msgspec.json.encode(pairs).decode() + "\n")
        yield LadybugHops(process)
