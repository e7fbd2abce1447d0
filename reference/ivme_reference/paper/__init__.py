"""The paper's procedures, executed line by line, with each known defect as printed or repaired.

repairs       the switches, by erratum (spec/ERRATA.md)
iterators     fig:enum_union, fig:hop_iterator
unions        fig:enum_union_with_pointer_new
support       the ring that counts derivations (a repair)
state         the state and ApplyUpdate
rebalancing   fig:major_minor
maintenance   fig:onUpdate
enumeration   fig:enum_binary, fig:enum_unary, prop:delay_full
engine        all of it behind update, iteration and lookup
reduction     fig:lower_bound_reduction
"""
