#!/usr/bin/env python3
"""Whether what an installed copy's documents, headers and manual pages cite is installed, too.  Prints what isn't, a line each.

    check_cited.py ROOT SOURCE

A path of the sources stands for the same below the documents' folder, docs/ for that folder itself; or the text says that it is of the sources,
as it does before it has a command go to one of their folders."""

import gzip
import pathlib
import re
import sys

root, source = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
documents = next(root.glob("**/doc/heaptap"))
PATH = re.compile(r"(?<![\w./-])(?<!cd )(/usr/share/doc/heaptap/)?((?:\w[\w.-]*/)+[\w.-]*\w)((?:[^`]*`)?,? of (?:the|heaptap.s) sources)?")


def text_of(file):
    data = file.read_bytes()
    text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode()
    return text.replace("\\-", "-") if re.search(r"\.\d(\.gz)?$", file.name) else text


def wrong(file):
    """(line, path) of what is cited and isn't there."""
    for number, line in enumerate(re.sub("<!--.*?-->", "", text_of(file)).split("\n"), 1):
        for folder, path, elsewhere in PATH.findall(line):
            is_own = folder or path.startswith(("docs/", "examples/", "programs/")) or (source / path).exists()
            if is_own and not elsewhere and not (documents / path.removeprefix("docs/")).exists():
                yield number, path


for file in [*documents.glob("*.md"), *root.glob("**/include/heaptap/*.h"), *root.glob("**/man/man?/*")]:
    for number, path in wrong(file):
        print(f"{file.name}:{number}: {path}")
