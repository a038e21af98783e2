"""The command ``ggpm`` of a wheel: the program beside this file, without importing the package."""
import os
import pathlib
import sys

PROGRAM = pathlib.Path(__file__).with_name("ggpm")


def main():
    if not PROGRAM.exists():
        sys.exit("ggpm: this installation has no command, because it was built from source by pip; "
                 "`make install` in the sources installs it")
    os.execv(PROGRAM, ["ggpm", *sys.argv[1:]])
