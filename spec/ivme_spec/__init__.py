"""What must hold of IVM^ε, executable and free of algorithms.

Paper: Kara, Nikolic, Ngo, Olteanu, Zhang, "Maintaining Triangle Queries under Updates". Read in this order:

    rings        multiplicities
    relations    relations as finite maps into a ring
    algebra      the query language and its delta rules
    queries      the eight triangle queries
    thresholds   exact comparison of degrees with N^ε
    partitions   single and double partitions, loose and strict
    views        every materialized view of the paper, as data
    state        the IVM^ε state and its invariants
    bounds       the paper's bounds with explicit constants
    errors       the exceptions

PAPER_INDEX.md (one folder up) maps the paper to the code; ERRATA.md lists where the paper is wrong.
"""
