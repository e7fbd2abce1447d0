"""IVM^ε with lazy views: rows of views are bought when they pay, and sold when they do not.

Paper: fig:onUpdate and fig:major_minor with the views of the five decompositions, materialized row by row.
Spec: `ivme_spec.lazy`. All of it on plain dicts, to be read:

    plan       what built rows cover, as a table
    relation   a relation whose tuples stand in parts
    state      everything that is maintained, counted steps, events
    rows       rows of view trees: build, drop, upkeep
    classes    heavy and light: changes of class, moves of tuples, major rebalancing
    engine     an update, and the answers

An update of (x,y) in relation i, in this order; rows are built and dropped only before the delta is computed
or after the tuple is stored:

    1. move the tuples of values that a built row needs in their class
    2. drop the rows for which the upkeep at hand would not pay
    3. sum up: scan what no built row covers, once, from the smaller side; look up the rest. A scan pays into
       the credit of y what its row would have spared; a row that is of use closes its gap by it
    4. upkeep of the built rows, charged to their gaps
    5. store the tuple
    6. look at the price of the row of y, if its credit is due; build it if it is paid
    7. rebalance

>>> count = LazyTriangles("", "1/2", database={"R": [(1, 2)], "S": [(2, 3)]})
>>> count.insert("T", 3, 1, 5)
>>> list(count)
[((), 5)]
"""

from ivme_reference.lazy.engine import LazyTriangles
from ivme_reference.lazy.state import Build, Drop, Event, Major, Minor

__all__ = ["Build", "Drop", "Event", "LazyTriangles", "Major", "Minor"]
