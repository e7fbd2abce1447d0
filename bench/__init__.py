"""The benchmark: `make bench`, or `python -m bench`.

All contenders get the same updates, in turns: one round of each, then the next round. Times are CPU times of
the process, including all its threads; a figure is the median over the rounds, with minimum and maximum.
Ratios are reported, since seconds say more about the machine than about the engine. The raw results are JSON
(`bench.results`); tables, verdicts and the plot are derived from them.

    cases       the workloads of views, as lists of updates, made before anything is timed
    contenders  who takes part; the place to add one
    snapshots   libraries that recompute the answer: scipy, igraph, networkx, networkit, DuckDB, our own join
    dataflow    Pathway
    tenlines    the same for graphs: what a user would write, networkx, ours; graph_cases: their workloads
    jobs        what a session is asked for, and what it answers
    session     runs one contender in one process, with `graphs` for graphs; `worker` is a separate process
                around it, `child` its other end. The pure kernel needs one, since the kernel is chosen at
                import; graphs have one, so that their memory is their own
    rounds      takes the contenders in turns, and stops those that take too long
    sections    what is measured, graph_sections: of graphs; settings: how much; selection: what of it
    results     the raw results, as JSON
    figures     medians, ratios, exponents; goals, targets, graph_targets: the goals, met or missed
    table, plot what the README shows; graph_table: of graphs; page: docs/bench.md, with latency
"""
