"""Bad edges for `ivme run --graph`, in every format: one line, exit code 2, nothing written."""

import bz2
import gzip
import io
import lzma
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.inputs import Bad, Ivme, parquet, refused, refused_and_nothing_written, zstd


def twins(*names: str) -> bytes:
    """Parquet with these columns, of which some have the same name."""
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_arrays([pa.array([1])] * len(names), names=list(names)), stream)
    return stream.getvalue()


EDGE = "1,2\n2,3\n"
PACKED = gzip.compress(EDGE.encode())
GEPHI = "Source,Target,Type,Weight\n1,2,Directed,5\n"
CASES: dict[str, Bad] = {
    "one value": ("e.csv", "1\n", "line 1: 1 values where the columns are u,v[,sign]"),
    "sign": ("e.csv", "1,2,5\n", "line 1: sign 5 of edge (1, 2): give 1 to insert it, -1 to delete it"),
    "weight": ("e.csv", "u,v,weight\n1,2,5\n", "sign 5 of edge (1, 2): give 1 to insert it, -1 to delete it"),
    "no sign": ("e.csv", "1,2,x\n", "line 1: sign 'x' is not an integer and none of +/-, i/d, insert/delete"),
    "empty sign": ("e.csv", "u,v,op\n1,2,\n", "line 2: sign '' is not an integer"),
    "fraction": ("e.csv", "u,v,weight\n1,2,1.0\n", "line 2: sign '1.0' is not an integer"),
    "comments only": ("e.csv", "# nothing\n% more\n", "e.csv is empty but for comments"),
    "deleted before": (
        "e.csv",
        "u,v,multiplicity\n1,2,-1\n",
        "line 2: refused: edge (1, 2) is not in the graph",
    ),
    "unused": (
        "e.csv",
        "time,u,v\n8:01,1,2\n",
        "line 1: the column 'time' would not be used: --columns u=u,v=v",
    ),
    "unused, many": (
        "e.csv",
        "Source,Target,Type,Id\n1,2,Directed,5\n",
        "the columns 'Type', 'Id' would not be used: --columns u=Source,v=Target leaves them out",
    ),
    "unused beside a sign": (
        "e.csv",
        GEPHI,
        "'Type' would not be used: --columns u=Source,v=Target,sign=Weight",
    ),
    "an index": (
        "e.csv",
        ",u,v\n0,1,2\n",
        "line 1: the column '' would not be used: --columns u=u,v=v leaves it",
    ),
    "unused letter": (
        "e.csv",
        "u,v,t\n1,2,9\n",
        "line 1: the column 't' would not be used: --columns u=u,v=v",
    ),
    "unused word": ("e.csv", "u,v,time\na,b,9\n", "line 1: the column 'time' would not be used"),
    "two signs": (
        "e.csv",
        "u,v,sign,weight\n1,2,1,1\n",
        "columns 'sign', 'weight' could each be sign: give --columns",
    ),
    "two sources": ("e.csv", "source,from,target\n1,1,2\n", "columns 'source', 'from' could each be u"),
    "the same twice": ("e.csv", "u,u,v\n1,1,2\n", "columns 'u', 'u' could each be u"),
    "unknown heading": (
        "e.csv",
        "caller,callee\n1,2\n",
        "line 1: 'caller,callee' looks like a heading, and not a known one: give --columns u=…,v=… with the",
    ),
    "half a heading": (
        "e.csv",
        "source,friend\nada,bob\n",
        "'source,friend' looks like a heading, and not a known one",
    ),
    "unknown heading, blanks": (
        "e.txt",
        "caller callee\n1 2\n",
        "line 1: 'caller,callee' looks like a heading",
    ),
    "head and tail": ("e.csv", "head,tail\n1,2\n", "'head,tail' looks like a heading, and not a known one"),
    "letters": (
        "e.csv",
        "u,v\na,b\n",
        "line 1: 'u,v' may be a heading or an edge: give --header or --no-header",
    ),
    "numbered names": ("e.csv", "node1,node2\nnode3,node4\n", "'node1,node2' may be a heading or an edge"),
    "heading in another order": (
        "e.csv",
        "op,caller,callee\n+,1,2\n",
        "no column for 'u', 'v' among 'op', 'caller', 'callee': give --columns u=…,v=…",
        "--header",
    ),
    "SNAP with times": ("e.txt", "# a\n1 2 1082040961\n", "line 2: sign 1082040961 of edge (1, 2)"),
    "four columns": (
        "e.txt",
        "% a\n1 2 1 1082040961\n",
        "line 2: 4 values where the columns are u,v[,sign]; say which to use, such as --columns u=1,v=2",
    ),
    "Matrix Market": ("e.mtx", "%%MatrixMarket matrix\n4 4 1\n1 2\n", "e.mtx is a Matrix Market file"),
    "wider later": ("e.csv", "u,v\n1,2\n2,3,1\n", "line 3: 3 values where the first line has 2"),
    "narrower later": ("e.csv", "u,v,sign\n1,2,1\n2,3\n", "line 3: 2 values where the first line has 3"),
    "no such column": (
        "e.csv",
        "u,v\n1,2\n",
        "line 1: there is no column 'w' among 'u', 'v'",
        "--columns",
        "u,w",
    ),
    "no such number": ("e.csv", EDGE, "line 1: there is no column 3, but 2", "--columns", "u=1,v=3"),
    "two of the name": (
        "e.csv",
        "a,a,b\n1,2,3\n",
        "line 1: there are 2 columns 'a': give the number of one",
        "--columns",
        "u=a,v=b",
    ),
    "names without a heading": (
        "e.csv",
        EDGE,
        "line 1: --columns has headings, and --no-header says that there are none",
        "--columns",
        "u=a,v=b",
        "--no-header",
    ),
    "empty": ("e.csv", "u,v\n1,\n", "line 2: a value is empty in '1,'"),
    "blank": ("e.csv", "1,2\n  ,3\n", "line 2: a value is empty in ',3'"),
    "empty text": ("e.csv", 'u,v\n1,""\n', "line 2: a value is empty", "--strings"),
    "None": (
        "e.csv",
        "1,2\n2,None\n",
        "line 2: a value is 'None', which means none (--strings takes it as text)",
    ),
    "NaN": ("e.csv", "u,v\nnan,2\n", "line 2: a value is 'nan', which means none"),
    "NULL": ("e.csv", "u;v\n1;NULL\n", "line 2: a value is 'NULL', which means none"),
    "backslash N": ("e.tsv", "1\t\\N\n", "line 1: a value is '\\\\N', which means none"),
    "json null": ("e.jsonl", '{"u": 1, "v": null}\n', "e.jsonl, line 1: a value is null"),
    "json NaN": ("e.jsonl", "[1, 2]\n[NaN, 2]\n", "e.jsonl, line 2: a value is NaN"),
    "json float nan": ("e.jsonl", '[{"float": "nan"}, 2]\n', "e.jsonl, line 1: a value is NaN"),
    "json unused": (
        "e.jsonl",
        '{"u": 1, "v": 2, "at": 3}\n',
        "line 1: the column 'at' would not be used: --columns u=u,v=v",
    ),
    "json twice": ("e.jsonl", '{"u": 1, "u": 2, "v": 3}\n', "line 1: 'u' appears twice"),
    "json two sources": (
        "e.jsonl",
        '{"u": 1, "from": 2, "v": 3}\n',
        "line 1: columns 'u', 'from' could each be u",
    ),
    "json missing": ("e.jsonl", '{"u": 1}\n', "line 1: no column for 'v' among 'u'"),
    "json sign": ("e.jsonl", "[1, 2, 7]\n", "line 1: sign 7 of edge (1, 2)"),
    "json null sign": ("e.jsonl", "[1, 2, null]\n", "line 1: sign None is a NoneType"),
    "json array": ("e.json", "[[1, 2], [2, 3]]\n", "e.json is one JSON array: each line must be an update"),
    "json array in lines": ("e.json", '[\n  {"u": 1, "v": 2}\n]\n', "e.json is one JSON array"),
    "json longer": (
        "e.jsonl",
        "[1, 2, 1, 9]\n",
        "line 1: '[1, 2, 1, 9]' is neither an object nor a list with u,v[,sign]",
    ),
    "json in a .csv": ("e.csv", '{"u": 1, "v": 2}\n', "e.csv, line 1 looks like JSON: give --format jsonl"),
    "json with --header": (
        "e.jsonl",
        "[1, 2]\n",
        "--header is for CSV, and e.jsonl is read as jsonl",
        "--header",
    ),
    "json lists and names": (
        "e.jsonl",
        "[1, 2]\n",
        "'[1, 2]' is a list: give --columns its numbers",
        "--columns",
        "a,b",
    ),
    "parquet null": ("e.parquet", parquet(u=[1, 2], v=[2, None]), "e.parquet, row 2: a value is null"),
    "parquet NaN": (
        "e.parquet",
        parquet(u=[1.0, float("nan")], v=[2, 3]),
        "e.parquet, row 2: a value is NaN",
    ),
    "parquet unused": (
        "e.parquet",
        parquet(u=[1], v=[2], at=[3]),
        "e.parquet: the column 'at' would not be used",
    ),
    "parquet missing": (
        "e.parquet",
        parquet(caller=[1], callee=[2]),
        "e.parquet: no column for 'u', 'v' among 'caller'",
    ),
    "parquet null sign": (
        "e.parquet",
        parquet(u=[1], v=[2], op=[None]),
        "e.parquet, row 1: sign None is a NoneType",
    ),
    "parquet weight": (
        "e.parquet",
        parquet(u=[1], v=[2], weight=[4]),
        "e.parquet, row 1: sign 4 of edge (1, 2)",
    ),
    "parquet fraction": ("e.parquet", parquet(u=[1], v=[2], weight=[0.5]), "row 1: sign 0.5 is a float"),
    "parquet twins": ("e.parquet", twins("u", "v", "v"), "e.parquet: columns 'v', 'v' could each be v"),
    "parquet --strings": (
        "e.parquet",
        parquet(u=[1], v=[2]),
        "--strings is for CSV, and e.parquet is read",
        "--strings",
    ),
    "a .gz that is none": ("e.csv.gz", EDGE, "e.csv.gz is not compressed, though its name ends in .gz"),
    "a .zst that is none": ("e.csv.zst", EDGE, "e.csv.zst is not compressed, though its name ends in .zst"),
    "a .bz2 that is a .gz": (
        "e.csv.bz2",
        PACKED,
        "e.csv.bz2 is compressed with gzip, though its name ends in .bz2",
    ),
    "a .csv that is a .gz": (
        "e.csv",
        PACKED,
        "e.csv is compressed with gzip, and its name does not say so: call it e.csv.gz",
    ),
    "half a gzip": ("e.csv.gz", PACKED[:-9], "e.csv.gz cannot be read after line"),
    "half a bzip2": ("e.csv.bz2", bz2.compress(EDGE.encode())[:-9], "e.csv.bz2 cannot be read after line"),
    "half an xz": ("e.csv.xz", lzma.compress(EDGE.encode())[:-9], "e.csv.xz cannot be read after line"),
    "half a zstd": ("e.csv.zst", zstd.compress(EDGE.encode())[:-3], "e.csv.zst cannot be read after line"),
    "bad gzip": (
        "e.csv.gz",
        PACKED[:-8] + bytes(8),
        "e.csv.gz cannot be read after line 2: CRC check failed",
    ),
    "bad xz": (
        "e.csv.xz",
        lzma.compress(EDGE.encode())[:12] + bytes(40),
        "e.csv.xz cannot be read after line 0",
    ),
    "bad zstd": (
        "e.csv.zst",
        zstd.compress(EDGE.encode())[:4] + b"\xff" * 40,
        "e.csv.zst cannot be read after line 0",
    ),
    "zip": (
        "e.csv",
        b"PK\x03\x04" + bytes(range(255, -1, -1)),
        "e.csv is a zip archive or a spreadsheet: unpack it, or save it as CSV",
    ),
    "empty gzip": ("e.csv.gz", gzip.compress(b""), "e.csv.gz is empty"),
    "no bytes in a .gz": ("e.csv.gz", b"", "e.csv.gz is empty"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_edges_are_one_line(
    ivme: Ivme, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused_and_nothing_written(ivme, CASES[case], "--graph")


def test_there_are_as_many_as_promised() -> None:
    assert len(CASES) >= 40


@pytest.mark.parametrize("case", ["unknown heading", "None", "sign", "unused"])
def test_bad_input_on_stdin_is_one_line(ivme: Ivme, case: str) -> None:
    name, given, said, *options = CASES[case]
    refused(ivme("run", "--graph", "-", *options, stdin=given), said.replace(name, "stdin"))
    refused(ivme("run", "--graph", "-", stdin=PACKED[:-9]), "stdin cannot be read after line")
