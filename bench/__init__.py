"""The benchmark: `make bench`, or `python -m bench`.

All contenders get the same updates, in turns: one round of each, then the next round. Times are CPU times of
the process, including all its threads; a figure is the median over the rounds, with minimum and maximum.
Ratios are reported, since seconds say more about the machine than about the engine. The raw results are JSON
(`bench.results`); tables, verdicts and the plot are derived from them.

    cases       the workloads, as lists of updates, made before anything is timed
    contenders  who takes part; the place to add one
    snapshots   libraries that recompute the answer: scipy, igraph, networkx, DuckDB, a join on our kernel
    dataflow    Pathway
    session     runs one contender in one process; `worker` is a separate process around it, `child` its other
                end. The pure kernel needs one, since the kernel is chosen at import
    rounds      takes the contenders in turns, and stops those that take too long
    sections    what is measured
    results     the raw results, as JSON
    figures     medians, ratios, exponents; targets: the goals, met or missed
    table, plot what the README shows
"""
