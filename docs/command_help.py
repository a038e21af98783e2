"""The help of every subcommand as a page of the site."""

import os
import re
import subprocess
from pathlib import Path

COMMAND = Path(__file__).parent.parent / "build" / "ggpm"


def help_of(*words):
    return subprocess.run([COMMAND, *words, "--help"], check=True, capture_output=True, text=True,
                          env={**os.environ, "COLUMNS": "100"}).stdout.rstrip()


def command_help():
    whole = help_of()
    names = re.findall(r"^  ([a-z]+) ", whole.partition("Subcommands:\n")[2].partition("\n\n")[0], re.M)
    parts = [("ggpm", whole), *((f"ggpm {name}", help_of(name)) for name in names)]
    return "".join(f"\n## {title}\n\n```text\n{text}\n```\n" for title, text in parts)
