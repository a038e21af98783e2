"""The help pages of the R package (r/man) as one page of this site, in Markdown. A macro that is not known here is an error."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "r" / "man"
# The page that explains most is first; others follow by name.
FIRST = ["ggpm", "predict.ggpm", "ggpm-methods"]
HEADINGS = {"arguments": "Arguments", "details": "Details", "value": "Value", "examples": "Examples"}
ARGUMENTS = {"R": 0, "item": 2, "method": 2}  # of a macro; others have one


def parsed(text):
    """Text as a list of strings and (macro, [arguments]), each argument such a list."""
    nodes, at = [], 0

    def group():
        nonlocal at
        if text[at:at + 1] != "{":
            raise ValueError(f"\\{macro[1]} without an argument")
        begin, depth = at + 1, 0
        while True:
            if text[at] == "\\":
                at += 1
            elif text[at] in "{}":
                depth += 1 if text[at] == "{" else -1
            at += 1
            if depth == 0:
                return parsed(text[begin:at - 1])

    while at < len(text):
        macro = re.compile(r"\\([A-Za-z]+)").match(text, at)
        if macro:
            at = macro.end()
            nodes.append((macro[1], [group() for _ in range(ARGUMENTS.get(macro[1], 1))]))
        else:
            plain = re.compile(r"(\\[^A-Za-z]|[^\\])+").match(text, at)
            at = plain.end()
            nodes.append(re.sub(r"\\(.)", r"\1", plain[0]))
    return nodes


def code(nodes):
    """What R would be given, without macros."""
    out = ""
    for node in nodes:
        if isinstance(node, str):
            out += node
        elif node[0] == "method":
            out += f"## S3 method for class '{code(node[1][1])}'\n{code(node[1][0])}"
        elif node[0] in ("link", "donttest"):
            out += code(node[1][0])
        else:
            raise ValueError(f"\\{node[0]} in code")
    return out


def prose(nodes, places):
    """Markdown; `places` are the pages of what can be linked to."""
    out = ""
    for node in nodes:
        if isinstance(node, str):
            out += re.sub(r"([*_<>\[\]|$`])", r"\\\1", node)
        elif node[0] == "code":
            text = f"`{code(node[1][0])}`"
            target = next((code(part[1][0]) for part in node[1][0] if part[0] == "link"), None)
            out += f"[{text}](help-{places[target]})" if target else text
        elif node[0] in ("command", "file"):
            out += f"`{code(node[1][0])}`"
        elif node[0] == "pkg":
            out += f"*{code(node[1][0])}*"
        elif node[0] == "R":
            out += "R"
        else:
            raise ValueError(f"\\{node[0]} in text")
    return re.sub(r"[ \t]*\n[ \t]*", "\n", out).strip()


def section(name, nodes, places):
    if name in ("usage", "examples"):
        return f"```r\n{code(nodes).strip()}\n```"
    if name != "arguments":
        return prose(nodes, places)
    lines = []
    for names, text in (node[1] for node in nodes if node[0] == "item"):
        listed = ", ".join(f"`{name}`" for name in code(names).split(", "))
        lines.append(f"- {listed}: " + " ".join(prose(text, places).split()))
    return "\n".join(lines)


def help_pages(folder=FOLDER):
    files = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.Rd"))}
    places = {alias: name for name, text in files.items() for alias in re.findall(r"\\alias\{(.*?)\}", text)}
    out = []
    for name in FIRST + [other for other in files if other not in FIRST]:
        try:
            parts = {node[0]: node[1][0] for node in parsed(files[name]) if not isinstance(node, str)}
            out.append(f"(help-{name})=\n## `{name}`: {prose(parts['title'], places)}\n")
            for kind in ("description", "usage", *HEADINGS):
                if kind in parts:
                    heading = f"### {HEADINGS[kind]}\n\n" if kind in HEADINGS else ""
                    out.append(heading + section(kind, parts[kind], places) + "\n")
        except (ValueError, KeyError) as error:
            raise ValueError(f"{name}.Rd: {error} is not known to docs/help_pages.py") from error
    return "\n".join(out)
