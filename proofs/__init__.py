"""What is proved about this project, by machine, and refuted when broken.

Read README.md beside this file first, then `claims` (what a claim is), then any instrument:

    contracts, lemmas            CrossHair: contracts on the production functions over integers
    symbolic, controller         Z3: the engine's own control code, run on unknowns
    major, minor, arithmetic     … and the inductive invariants proved about it
    payloads, steps, deltas      polynomial payloads: one run stands for all multiplicities
    cover                        every combination of parts, exactly once
    canonical, closure, loading  every reachable state of small domains
    unions, hops, literal        every small family of sets; and the paper's versions as printed
    mutants, planted             the bugs that the claims above must refute

`python -m proofs` runs everything; `python -m proofs --help` tells what else it can do.
"""
