"""Path graphs: nodes, links, damage, and the graph of the corpus."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_payload
from viewer.formats.archive.nres import Archive
from viewer.formats.msh import path_graph
from viewer.formats.msh.tables import PATH_GRAPH

NODES = struct.pack("<3fII", 1, 2, 3, 16, 7) + struct.pack("<3fII", 4, 5, 6, 0, 1)
LINK = struct.pack("<10I", 0, 1, *[0xFFFFFFFF] * 8)


def test_nodes_and_links() -> None:
    graph = path_graph.decode(NODES + LINK, 2, 1)
    assert graph.nodes["position"].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert (graph.nodes["flags"][0], graph.nodes["node"][0]) == (16, 7)
    assert (graph.links["start"].tolist(), graph.links["end"].tolist()) == ([0], [1])
    assert graph.diagnostics == ()


@pytest.mark.parametrize(
    ("data", "counts", "place"),
    [
        (NODES, (3, 0), "path_graph[2]"),
        (NODES + LINK[:-1], (2, 1), "path_links[0]"),
        (NODES + LINK + b"?", (2, 1), "path_graph_tail"),
        (NODES[20:] + LINK, (1, 1), "path_links[0].end"),
    ],
)
def test_one_finding_for_each_damage(data: bytes, counts: tuple[int, int], place: str) -> None:
    graph = path_graph.decode(data, *counts)
    assert [finding.where for finding in graph.diagnostics] == [place]
    check_payload(data, path_graph.encode(graph), path_graph.parts(graph), graph.diagnostics)


@given(st.binary(max_size=200), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_any_bytes_survive(data: bytes, node_count: int, link_count: int) -> None:
    graph = path_graph.decode(data, node_count, link_count)
    check_payload(data, path_graph.encode(graph), path_graph.parts(graph), graph.diagnostics)


@given(st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    graph = path_graph.decode(NODES + LINK + b"tail", 2, 1)
    check_field_change(graph, path_graph.encode, path_graph.parts(graph), data)


def test_the_graph_of_the_corpus(samples: Path) -> None:
    folder = samples / "field"
    models = json.loads((folder / "truth.json").read_text())["models"]
    for address, truth in models.items():
        if "path_graph" not in truth:
            continue
        path, _, name = address.partition("::")
        outer = Archive.read((folder / path).read_bytes())
        index = outer.find(name.encode("cp1251"))
        assert index is not None
        model = Archive.read(outer.payload(index))
        index = model.find_type(PATH_GRAPH)
        assert index is not None
        entry = model.entries[index]
        graph = path_graph.decode(model.payload(index), entry.attr1, entry.attr2)
        positions = np.array([node[:3] for node in truth["path_graph"]["nodes"]], np.float32)
        assert np.array_equal(graph.nodes["position"], positions)
        assert [[*pair] for pair in zip(graph.nodes["flags"], graph.nodes["node"], strict=True)] == [
            node[3:] for node in truth["path_graph"]["nodes"]
        ]
        links = [[*pair] for pair in zip(graph.links["start"], graph.links["end"], strict=True)]
        assert links == truth["path_graph"]["links"]
        assert graph.diagnostics == ()
