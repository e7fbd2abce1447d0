"""Machine-checked claims about this project, each refuted when the code is broken.

Read README.md beside this file first, then `claims` (what a claim is), then any instrument:

    engines                      the engines that the claims run
    contracts, lemmas            CrossHair: contracts on the production functions over integers
    symbolic, controller         Z3: the engine's own control code, run on unknowns
    major, minor, arithmetic     … and the inductive invariants proved about it
    payloads, steps, deltas      polynomial payloads: one run stands for all multiplicities
    cover                        every combination of parts, exactly once
    canonical, closure, loading  every reachable state of small domains
    unions, hops, literal        every small family of sets; and the paper's versions as printed

The bugs that the claims must refute are in the folder `planted`. `python -m proofs` runs everything; see also
`python -m proofs --help`.
"""
