"""Ids of values in dicts.

>>> names = Names()
>>> ada = names.make(0, "ada")
>>> names.find(0, "ada") == ada, names.find(1, "ada"), names.value(ada)
(True, 0, 'ada')
"""

from __future__ import annotations

from collections.abc import Hashable

from ivme.kernel.storage.dicts.lines import compacted


class Names:
    """Ids by variable and value, and values by id. Ids start at 1 and are reused.

    An id that was never given out, in a state that is damaged, stands for itself.
    """

    def __init__(self) -> None:
        self.ids: list[dict[Hashable, int]] = [{}, {}, {}]
        self.values: dict[Hashable, Hashable] = {}
        self.free: list[int] = []

    def find(self, variable: int, value: Hashable) -> int:
        """The id of a value, 0 if it has none.  Cost: O(1)."""
        return self.ids[variable].get(value, 0)

    def value(self, x: Hashable) -> Hashable:
        """The value of an id.  Cost: O(1)."""
        return self.values.get(x, x)

    def make(self, variable: int, value: Hashable) -> int:
        """An id for a value that has none.  Cost: O(1).

        What can raise, the value's __hash__ and __eq__, comes before any change.
        """
        made = self.free[-1] if self.free else len(self.values) + 1
        self.ids[variable][value] = made
        if self.free:
            self.free.pop()
        self.values[made] = value
        return made

    def drop(self, variable: int, x: Hashable) -> None:
        """Free an id, unless it is free.  Cost: amortized O(1)."""
        if x in self.values:
            made = self.ids[variable].pop(self.values[x])
            self.ids[variable] = compacted(self.ids[variable])
            del self.values[x]
            self.free.append(made)
            if not self.values:
                self.values, self.free = {}, []
