"""ivme on Spark: workloads of any size, the oracle at scale, and maintenance on more than one machine.

Needs the extra `ivme[spark]`. Spark serves to scale out, and as an independent witness; on one machine a
single `TriangleView` is faster.

    session     where Spark runs: here, or on a cluster that you name
    datasets    workloads as Parquet datasets, written by Spark and read back in order
    oracle      all eight queries recomputed by Spark after any prefix of a workload
    witness     both for `ivme verify`: it makes the large workloads and judges their answers
    ingest      a large database loaded into a view
    hypercube   a view split over the cells of a cube
    streaming   the same over a stream, exactly once; `commits` has its files
"""

from ivme.extras import require

require("ivme.spark", "spark", "pyspark", "pandas", "pyarrow", "cattrs")
