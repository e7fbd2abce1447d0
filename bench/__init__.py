"""The benchmark: `make bench`, or `python -m bench`.

All contenders get the same updates, in turns: one round of each, then the next round. Times are CPU times of
the process, all its threads included; a figure is the median over the rounds, with the smallest and the
largest; what is reported are ratios, since seconds say more about the machine than about the engine. The raw
results are JSON (`bench.results`), and tables, verdicts and the plot are made from that alone.

    cases       the workloads, as lists of updates, made before anything is timed
    contenders  who takes part; the place to add one
    snapshots   libraries that recompute the answer: scipy, igraph, networkx, DuckDB, a join on our kernel
    dataflow    Pathway
    session     runs one contender in one process; `worker` is a process of its own around it, `child` its
                other end. The pure kernel needs one, since the kernel is chosen at import
    rounds      takes the contenders in turns, and stops those that take too long
    sections    what is measured
    results     the raw results, as JSON
    figures     medians, ratios, exponents; targets: the goals, met or missed
    table, plot what the README shows
"""

import ivme as ivme  # the kernel is chosen before `rivals`, which may be compiled, is loaded
