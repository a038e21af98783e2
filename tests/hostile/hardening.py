#!/usr/bin/env python3
"""Whether the flags that make attacks harder reached what users run.

    tests/hostile/hardening.py build/ggpm build/libggpm.a [build/python/ggpm/_core....so ...]

Looks at the files with readelf and nm: programs and shared objects, and static libraries object by object.
"""
import os
import platform
import subprocess
import sys

LANDING = b"\xf3\x0f\x1e\xfa"  # endbr64, where a jump through a pointer may land


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, env=dict(os.environ, LC_ALL="C")).stdout


def of_objects(path):
    """Of a static library: each object that has code says that it may be entered at marked places only."""
    missing = []
    for part in output("readelf", "-nSW", path).split("File: ")[1:]:
        if " AX " in part and "IBT, SHSTK" not in part:
            missing.append(part.splitlines()[0])
    return [f"{len(missing)} objects without marked landing places: {missing[:3]}"] if missing else []


def of_linked(path):
    found = []
    segments = output("readelf", "-lW", path).splitlines()
    dynamic = output("readelf", "-dW", path)

    def flags(kind):
        return [line.split()[6] for line in segments if line.split()[:1] == [kind]]
    if "DYN" not in output("readelf", "-hW", path):
        found.append("its place in memory is fixed")
    if not flags("GNU_RELRO") or "NOW" not in dynamic:
        found.append("addresses of functions can be written (relro, now)")
    if flags("GNU_STACK") != ["RW"]:
        found.append("its stack is executable")
    if "TEXTREL" in dynamic:
        found.append("its code is written to when it is loaded")
    for line in dynamic.splitlines():
        if "PATH)" in line and any(not place.startswith(("/", "$ORIGIN")) for place in line.split("[")[1].rstrip("]").split(":")):
            found.append(f"it loads libraries from the current folder: {line.strip()}")
    with open(path, "rb") as file:
        if platform.machine() == "x86_64" and LANDING not in file.read():
            found.append("landing places are not marked")
    return found


def of_symbols(path, small):
    """What the compiler calls where it guards a stack, or a copy into a buffer whose size it knows."""
    needed = {line.split()[-1].split("@")[0] for line in output("nm", "-u", *([] if path.endswith(".a") else ["-D"]), path).splitlines() if line.strip()}
    found = []
    if "__stack_chk_fail" not in needed:
        found.append("stacks are not guarded")
    if not small and not any(name.startswith("__") and name.endswith("_chk") for name in needed):
        found.append("copies into buffers are not checked")
    return found


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    failed = 0
    for path in sys.argv[1:]:
        static = path.endswith(".a")
        complaints = (of_objects(path) if static and platform.machine() == "x86_64" else [] if static else of_linked(path)) + \
            of_symbols(path, os.path.getsize(path) < 1 << 20)
        for complaint in complaints:
            print(f"{path}: {complaint}")
        failed += len(complaints)
    print(f"{len(sys.argv) - 1} files looked at")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
