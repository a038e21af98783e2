"""How far new rows are from the cuts of a tree, read from a model file (docs/model-file.md)."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np


def arrays(path: Path) -> dict[str, np.ndarray]:
    """Every array of a model by its name."""
    content = path.read_bytes()
    (length,) = struct.unpack_from("<Q", content, 12)
    place, out = -(-(20 + length) // 8) * 8, {}
    for array in json.loads(content[20:20 + length])["arrays"]:
        shape = array["rows"], array["cols"]
        values = np.frombuffer(content, "<f8", shape[0] * shape[1], place)
        out[array["name"]] = values.reshape(shape, order="F")
        place += values.nbytes
    return out


def distances(path: Path, Z) -> np.ndarray | None:
    """To the nearest cut between the root and the leaf of a row, in length-scales; None without a tree."""
    model = arrays(path)
    if "engine.nodes" not in model or len(model["engine.nodes"]) == 1:
        return None
    nodes, scale, design = model["engine.nodes"], model["engine.scale"][:, 0], model["design"]
    Z = (Z - design[:, 0]) / design[:, 1]
    out = np.full(len(Z), np.inf)

    def below(node: int, rows: np.ndarray) -> int:
        """Goes down with these rows; the node after its subtree: parents come first, left before right."""
        cut = int(nodes[node, 3])
        if cut < 0:
            return node + 1
        beyond = Z[rows, cut] - nodes[node, 4 + cut]
        out[rows] = np.minimum(out[rows], np.abs(beyond) / scale[cut])
        return below(below(node + 1, rows[beyond < 0]), rows[beyond >= 0])

    below(0, np.arange(len(Z)))
    return out
