"""Inputs of `ivme run` in the spellings that people use: each gives the right answer."""

import bz2
import gzip
import json
import lzma
from pathlib import Path

import pytest

from tests.cli.inputs import Ivme, parquet, zstd

Case = tuple[str, str | bytes, list[str]]
"""The name of a file, or "-" for stdin; what is in it; options."""


# --- graphs: the triangle 1, 2, 3 with the edge 3, 4 ---
# Read as inserts alone, the deleted edge 4, 1 would close a second triangle; a heading read as an edge would
# be a fifth one.

EDGES = "1,2\n2,3\n3,1\n3,4\n"
SIGNED = "1,2,1\n2,3,1\n3,1,1\n3,4,1\n4,1,1\n4,1,-1\n"


def spelled(insert: str, delete: str, heading: str = "u,v,op\n") -> str:
    """The edges with other words for 1 and -1."""
    return heading + "".join(
        f"{line[:4]}{insert if line[4:] == '1' else delete}\n" for line in SIGNED.split("\n") if line
    )


HEADINGS = [
    "u,v",
    "U,V",
    "x,y",
    "a,b",
    "from,to",
    "From,To",
    "source,target",
    "Source,Target",
    "SOURCE,TARGET",
    "src,dst",
    "Src,Dest",
    "source_id,target_id",
    "source,destination",
    "start,end",
    "node1,node2",
    "node_1,node_2",
    "id_1,id_2",
    "vertex1,vertex2",
    "FromNodeId,ToNodeId",
    '"Source Node","Target Node"',
    "  source , target  ",
]
SIGNS = ["sign", "multiplicity", "mult", "delta", "diff", "weight", "count", "op", "Sign", "MULTIPLICITY"]
WORDS = [
    ("+", "-"),
    ("+1", "-1"),
    ("insert", "delete"),
    ("INSERT", "Delete"),
    ("i", "d"),
    ("I", "D"),
    ("true", "false"),
    ("True", "False"),
    ("t", "f"),
    ("add", "remove"),
    ("01", "-01"),
]
SWAPPED = "sign,to,from\n" + "".join(f"{line[4:]},{line[2]},{line[0]}\n" for line in SIGNED.split())

GRAPHS: dict[str, Case] = {
    **{f"heading {heading}": ("e.csv", f"{heading}\n{EDGES}", []) for heading in HEADINGS},
    **{f"signs as {name}": ("e.csv", f"u,v,{name}\n{SIGNED}", []) for name in SIGNS},
    **{f"words {words[0]}": ("e.csv", spelled(*words), []) for words in WORDS},
    "no heading": ("e.csv", EDGES, []),
    "no heading, signs": ("e.csv", SIGNED, []),
    "no heading, words": ("e.csv", spelled("+", "-", ""), []),
    "signs in some lines": ("e.csv", EDGES + "4,1\n4,1,-1\n", []),
    "any order": ("e.csv", SWAPPED, []),
    "tabs": ("e.csv", "source\ttarget\n" + EDGES.replace(",", "\t"), []),
    "a .tsv": ("e.tsv", "source\ttarget\n" + EDGES.replace(",", "\t"), []),
    "semicolons": ("e.csv", "Source;Target\n" + EDGES.replace(",", ";"), []),
    "bars": ("e.txt", "src|dst\n" + EDGES.replace(",", "|"), []),
    "blanks": ("e.txt", " 1  2 \n2 3  \n 3\t1\n3 4\n", []),
    "blanks and quotes": ("e.txt", '"ada l" bob\nbob eve\n"ada l" "eve" \neve "d x"\n', []),
    "quotes": ("e.csv", '"source","target"\n"1","2"\n"2","3"\n"3","1"\n"3","4"\n', []),
    "Windows": ("e.csv", ("\ufeffSource,Target\n" + EDGES).replace("\n", "\r\n"), []),
    "no end of line": ("e.csv", EDGES.rstrip(), []),
    "blank lines": ("e.csv", "\n\nu,v\n\n" + EDGES + "\n \n", []),
    "trailing blanks": ("e.csv", EDGES.replace("\n", "  \n"), []),
    "SNAP": ("e.txt", "# Nodes: 4 Edges: 4\n# FromNodeId\tToNodeId\n" + EDGES.replace(",", "\t"), []),
    "KONECT": ("out.e", "% sym unweighted\n% 4 4 4\n" + EDGES.replace(",", " "), []),
    "KONECT, weights and times": (
        "out.e",
        "% sym positive\n" + "".join(f"{e.replace(',', ' ')} 1 1082040961\n" for e in EDGES.split()),
        ["--columns", "u=1,v=2"],
    ),
    "comments between": ("e.csv", "u,v\n# one\n" + EDGES.replace("3,1", "%\n3,1"), []),
    "text": ("e.csv", "ada,bob\nbob,eve\neve,ada\neve,dan\n", []),
    "text with a heading": ("e.csv", "Source,Target\nada,bob\nbob,eve\neve,ada\neve,dan\n", []),
    "letters": ("e.csv", "a,b\nb,c\nc,a\nc,d\n", []),
    "letters after u,v": ("e.csv", "u,v\na,b\nb,c\nc,a\nc,d\n", ["--header"]),
    "letters without a heading": ("e.csv", "a,b\nc,a\nb,c\nc,d\n", ["--no-header"]),
    "letters and signs without a heading": ("e.csv", "a,b,1\nc,d,1\nb,c,1\nc,a,+\n", []),
    "letters alone": ("e.csv", "a,b,i\nb,c,i\nc,a,i\nc,d,i\n", []),
    "words and signs without a heading": ("e.csv", spelled("insert", "delete", ""), []),
    "letters with signs": ("e.csv", "u,v,sign\na,b,1\nb,c,1\nc,a,1\nc,d,1\n", []),
    "numbered names": ("e.csv", "node1,node2\nnode2,node3\nnode3,node1\nnode3,node4\n", []),
    "unknown heading": ("e.csv", "caller,callee\n" + EDGES, ["--header"]),
    "unknown heading, named": ("e.csv", "caller,callee\n" + EDGES, ["--columns", "u=caller,v=callee"]),
    "in order": ("e.csv", "caller,callee\n" + EDGES, ["--columns", "caller, callee"]),
    "other columns": (
        "e.csv",
        "Source,Target,Type,Weight\n" + "".join(f"{e},Undirected,2.5\n" for e in EDGES.split()),
        ["--columns", "u=Source,v=Target"],
    ),
    "named signs": (
        "e.csv",
        "when,caller,callee,what\n" + "".join(f"8:01,{e}\n" for e in SIGNED.split()),
        ["--columns", "sign=what,v=callee,u=caller"],
    ),
    "numbers of a heading": ("e.csv", "caller,callee\n" + EDGES, ["--columns", "1,2", "--header"]),
    "commas in headings": (
        "e.csv",
        '"by, name",target\n' + EDGES,
        ["--columns", '"u=by, name",v=target'],
    ),
    "null as text": ("e.csv", "null,none\nnone,nan\nnan,null\nnan,x\n", ["--strings"]),
    "stdin": ("-", "Source,Target\n" + EDGES, []),
    "gzip": ("e.csv.gz", gzip.compress(EDGES.encode()), []),
    "two gzips": ("e.csv.gz", gzip.compress(EDGES[:8].encode()) + gzip.compress(EDGES[8:].encode()), []),
    "bzip2": ("e.csv.bz2", bz2.compress(EDGES.encode()), []),
    "xz": ("e.txt.xz", lzma.compress(EDGES.encode()), []),
    "zstd": ("e.csv.zst", zstd.compress(EDGES.encode()), []),
    "gzip on stdin": ("-", gzip.compress(EDGES.encode()), []),
    "bzip2 on stdin": ("-", bz2.compress(EDGES.encode()), []),
    "xz on stdin": ("-", lzma.compress(EDGES.encode()), []),
    "zstd on stdin": ("-", zstd.compress(EDGES.encode()), []),
    "gzip without a name for it": ("edges", gzip.compress(EDGES.encode()), []),
    "a .tsv.GZ": ("e.tsv.GZ", gzip.compress(EDGES.replace(",", "\t").replace("1", "x,y").encode()), []),
    "text like bzip2": ("-", "BZh,1\n1,2\n2,BZh\n1,3\n", []),
    "json": ("e.jsonl", "".join(f"[{e}]\n" for e in SIGNED.split()), []),
    "json objects": (
        "e.ndjson",
        "".join(f'{{"Target": {e[2]}, "Source": {e[0]}}}\n' for e in EDGES.split()),
        [],
    ),
    "json booleans": (
        "e.jsonl",
        "".join(f'{{"u": {e[0]}, "v": {e[2]}, "op": {str(e[4:] == "1").lower()}}}\n' for e in SIGNED.split()),
        [],
    ),
    "json words": ("e.jsonl", "".join(f'[{line[:4]}"{line[4:]}"]\n' for line in SIGNED.split()), []),
    "json on stdin": ("-", "".join(f'{{"from": {e[0]}, "to": {e[2]}}}\n' for e in EDGES.split()), []),
    "longer json lists": (
        "e.jsonl",
        "".join(f'["8:01", {e}]\n' for e in EDGES.split()),
        ["--columns", "u=2,v=3"],
    ),
    "parquet": ("e.parquet", parquet(Source=[1, 2, 3, 3], Target=[2, 3, 1, 4]), []),
    "parquet, signs": (
        "e.parquet",
        parquet(op=["+", "+", "+", "+", "i", "D"], SRC=[1, 2, 3, 3, 4, 4], DST=[2, 3, 1, 4, 1, 1]),
        [],
    ),
    "parquet, booleans": (
        "e.parquet",
        parquet(u=[1, 2, 3, 3, 4, 4], v=[2, 3, 1, 4, 1, 1], sign=[True] * 5 + [False]),
        [],
    ),
    "parquet, chosen": (
        "e.parquet",
        parquet(seq=[1, 2, 3, 4], caller=[1, 2, 3, 3], callee=[2, 3, 1, 4]),
        ["--columns", "u=caller,v=callee"],
    ),
}


def given(case: Case, monkeypatch: pytest.MonkeyPatch, folder: Path) -> tuple[list[str], bytes]:
    """The arguments, in a folder with the file; and what is on stdin."""
    monkeypatch.chdir(folder)
    name, text, options = case
    content = text.encode() if isinstance(text, str) else text
    if name == "-":
        return [name, *options], content
    Path(name).write_bytes(content)
    return [name, *options], b""


@pytest.mark.parametrize("case", GRAPHS)
def test_edges_as_people_write_them(
    ivme: Ivme, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, stdin = given(GRAPHS[case], monkeypatch, tmp_path)
    code, out, err = ivme("run", "--graph", "--json", *arguments, stdin=stdin)
    assert code == 0, err
    found = json.loads(out)
    assert (found["edges"], found["rows"]) == (4, [[1]]), err


@pytest.mark.parametrize("heading", ["Source,Target", "to,from"])
def test_the_direction_of_edges_is_that_of_the_heading(ivme: Ivme, heading: str) -> None:
    done = ivme("run", "--graph", "-", "--directed", "--track", "on", "--json", stdin=f"{heading}\n{EDGES}")
    wanted = [[1, 2, 1], [2, 3, 1], [3, 1, 1]]
    if heading == "to,from":
        wanted = sorted([v, u, 1] for u, v, _ in wanted)
    assert sorted(json.loads(done[1])["rows"]) == wanted


# --- relations: five triangles of (1, 2, 3), and another that goes again ---

TUPLES = [
    ("R", 1, 2, 1),
    ("S", 2, 3, 5),
    ("T", 3, 1, 1),
    ("R", 9, 2, 1),
    ("T", 3, 9, 1),
    ("R", 9, 2, -1),
]
RECORDS = "".join(",".join(map(str, update)) + "\n" for update in TUPLES)
RELATIONS: dict[str, Case] = {
    "no heading": ("u.csv", RECORDS, []),
    "heading": ("u.csv", "relation,x,y,multiplicity\n" + RECORDS, []),
    "capitals": ("u.csv", "Relation,X,Y,Multiplicity\n" + RECORDS, []),
    "rel": ("u.csv", "rel,source,target,count\n" + RECORDS, []),
    "table": ("u.csv", "Table;From;To;Diff\n" + RECORDS.replace(",", ";"), []),
    "kind": ("u.tsv", "kind\tsrc\tdst\tdelta\n" + RECORDS.replace(",", "\t"), []),
    "letters": ("u.csv", "relation,a,b,mult\n" + RECORDS, []),
    "comments": ("u.csv", "# updates\nrelation,x,y,multiplicity\n" + RECORDS + "% the end\n", []),
    "a value like a comment": ("u.csv", 'R,"a\n#b",2\n' + RECORDS, []),
    "named": ("u.csv", "r,p,q,n\n" + RECORDS, ["--columns", "multiplicity=n,relation=r,x=p,y=q"]),
    "in order": ("u.csv", "kind,p,q,n\n" + RECORDS, ["--columns", "kind,p,q,n"]),
    "in this order": ("u.csv", "r,p,q,n\n" + RECORDS, ["--header"]),
    "numbers": (
        "u.csv",
        "".join(f"8:01,{line}\n" for line in RECORDS.split()),
        ["--columns", "2,3,4,5"],
    ),
    "gzip": ("u.csv.gz", gzip.compress(RECORDS.encode()), []),
    "zstd on stdin": ("-", zstd.compress(RECORDS.encode()), []),
    "json": ("u.jsonl", "".join(json.dumps(update) + "\n" for update in TUPLES), []),
    "json objects": (
        "u.json",
        "".join(f'{{"Rel": "{r}", "X": {x}, "Y": {y}, "Mult": {m}}}\n' for r, x, y, m in TUPLES),
        [],
    ),
    "json, other names": (
        "u.jsonl",
        "".join(f'{{"seq": 1, "r": "{r}", "p": {x}, "q": {y}, "n": {m}}}\n' for r, x, y, m in TUPLES),
        ["--columns", "relation=r,x=p,y=q,multiplicity=n"],
    ),
    "json, compressed, on stdin": (
        "-",
        lzma.compress("".join(json.dumps(update) + "\n" for update in TUPLES).encode()),
        ["--format", "jsonl"],
    ),
    "parquet": (
        "u.parquet",
        parquet(
            **dict(zip(("Table", "SRC", "DST", "Diff"), map(list, zip(*TUPLES, strict=True)), strict=True))
        ),
        [],
    ),
}


@pytest.mark.parametrize("case", RELATIONS)
def test_updates_as_people_write_them(
    ivme: Ivme, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, stdin = given(RELATIONS[case], monkeypatch, tmp_path)
    code, out, err = ivme("run", "--free", "AB", "--json", *arguments, stdin=stdin)
    assert code == 0, err
    assert json.loads(out)["rows"] == [[1, 2, 5]], err


def test_there_are_as_many_as_promised() -> None:
    assert len(GRAPHS) + len(RELATIONS) >= 40


# --- what is guessed is said ---


def test_text_that_is_taken_as_an_edge_is_said(ivme: Ivme) -> None:
    for text in ("ada,bob\neve,dan\n", "a,b\nb,c\n"):
        code, _, err = ivme("run", "--graph", "-", stdin=text)
        first = text.split("\n")[0]
        said = f"ivme: stdin, line 1: '{first}' is taken as an edge; if it is a heading, give --header"
        assert (code, said in err) == (0, True), err
        assert said not in ivme("run", "--graph", "-", "--no-header", stdin=text)[2]
    for text in ("ada,bob\nbob,dan\n", "1,2\n", "ada,2\n", "ada,bob,1\n", "Source,Target\nada,bob\n"):
        assert "is taken as" not in ivme("run", "--graph", "-", stdin=text)[2]


def test_comments_are_counted(ivme: Ivme) -> None:
    assert "; comment lines passed over: 2" in ivme("run", "--graph", "-", stdin="# a\n1,2\n% b\n2,3\n")[2]
    assert "comment" not in ivme("run", "--graph", "-", stdin="1,2\n2,3\n")[2]


def test_columns_that_are_named_leave_signs_out(ivme: Ivme) -> None:
    text = "u,v,weight\n1,2,5\n2,3,7\n3,1,-1\n"
    assert ivme("run", "--graph", "-", "--columns", "u=u,v=v", stdin=text)[1].split() == ["triangles", "1"]
