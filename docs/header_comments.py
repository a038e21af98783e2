#!/usr/bin/env python3
"""A header as Doxygen wants it: our comments are plain, and what stands above or behind a declaration is about it.

The block at the top is about the file; indented lines in a comment are code.
"""
import re
import sys

lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
out, at_top, in_code = [], True, False


def text_of(line):
    return line.replace("\\", "\\\\").replace("@", "\\@")


for number, line in enumerate(lines):
    comment = re.match(r"^( *)//( ?)(.*)$", line)
    is_code = bool(comment) and comment[3].startswith("  ")
    if in_code and not is_code:
        out.append("/// @endcode")
        in_code = False
    if comment:
        if at_top and number == 0:
            out.append("/// @file")
        if is_code and not in_code:
            out.append("/// @code")
            in_code = True
        out.append(f"{comment[1]}/// {comment[3] if is_code else text_of(comment[3])}")
        continue
    at_top = False
    behind = re.match(r"^(.*?[;,{}])\s+// (.*)$", line)
    out.append(f"{behind[1]}  ///< {text_of(behind[2])}" if behind else line)
print("\n".join(out))
