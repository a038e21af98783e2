"""Densities and links of every family, drawn by the command that was built: a section of a page, and the files it shows."""

import json
import subprocess
from pathlib import Path

COMMAND = Path(__file__).parent.parent / "build" / "ggpm"
FOLDER = "families"  # within the static files of the site


def families():
    """Those whose outputs need no more than one latent function."""
    table = subprocess.run([COMMAND, "likelihoods", "--json"], check=True, capture_output=True, text=True).stdout
    return [entry["name"] for entry in json.loads(table) if entry["name"] != "softmax"]


def section():
    """HTML, since these pictures are made after the pages that show them."""
    pictures = [f'<figure id="family-{name}"><a href="_static/{FOLDER}/{name}.svg">'
                f'<img src="_static/{FOLDER}/{name}.svg" alt="{name}: densities and link"/></a></figure>'
                for name in families()]
    return "\n\n" + "\n".join(['<div class="families">', *pictures, "</div>", ""])


def draw(static):
    (static / FOLDER).mkdir(exist_ok=True)
    for name in families():
        subprocess.run([COMMAND, "likelihoods", name, "--picture", static / FOLDER / f"{name}.svg"], check=True,
                       stdout=subprocess.DEVNULL)
