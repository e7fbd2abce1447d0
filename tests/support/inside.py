"""The engine inside a view, typed by its storage: what is stored in dicts can be looked at, and spoiled."""

from ivme import TriangleView
from ivme.kernel.engine import Engine
from ivme.kernel.storage.dicts.head import DictHead
from ivme.kernel.storage.dicts.relation import DictRelation
from ivme.kernel.storage.dicts.storage import DictStorage
from ivme.kernel.storage.dicts.trees import DictKept, DictSums
from ivme_spec.rings import P


def engine_of(view: TriangleView[P]) -> Engine[P]:
    """The engine of a view, whatever its storage."""
    return view._engine


def dict_engine(view: TriangleView[P]) -> Engine[P]:
    """The engine of a view that stores everything in dicts."""
    assert isinstance(view._engine.storage, DictStorage)
    return view._engine


def dict_relations(engine: Engine[P]) -> list[DictRelation[P]]:
    """The relations of an engine on dicts."""
    return [relation for relation in engine.relations if isinstance(relation, DictRelation)]


def dict_head(engine: Engine[P]) -> DictHead[P]:
    """The head map of an engine on dicts."""
    assert isinstance(engine.head, DictHead)
    return engine.head


def dict_sums(engine: Engine[P]) -> list[DictSums[P]]:
    """The summed trees of an engine on dicts."""
    return [tree for tree in engine.summed.values() if isinstance(tree, DictSums)]


def dict_kept(engine: Engine[P]) -> list[DictKept]:
    """The kept trees of an engine on dicts."""
    return [tree for tree in engine.kept.values() if isinstance(tree, DictKept)]
