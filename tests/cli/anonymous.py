#!/usr/bin/python3
"""heaptap view -o page.html --anonymous: a page without what tells whose recording it is; and the sentence that says so without.
Prints TAP."""
import base64
import os
import re
import subprocess
import sys
import tempfile
import zlib

SOURCE = os.environ["SOURCE"]
sys.path.insert(0, SOURCE + "/tests/helpers")
from clause_reference import labels_of  # noqa: E402
from random_blocks import random_blocks, write_profile  # noqa: E402
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
SOURCES = {"main.c": "#include <stdlib.h>\nvoid *make(int);\nint main(void) { return make(1000) == NULL; }\n",
           "parts/make.c": "#include <stdlib.h>\n#include <string.h>\nvoid *make(int size)\n{\n    return memset(malloc(size), 1, size);\n}\n"}


def run(*words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def all_of(page):
    """The page's text, with what is compressed in it."""
    with open(page) as file:
        text = file.read()
    for packed in re.findall(r"[A-Za-z0-9+/]{100,}={0,2}", text):
        for window in (zlib.MAX_WBITS, -zlib.MAX_WBITS, 16 + zlib.MAX_WBITS):
            try:
                text += zlib.decompress(base64.b64decode(packed + "=" * (-len(packed) % 4)), window).decode(errors="replace")
            except (zlib.error, ValueError):
                pass
    return text


if not os.environ["VIEWER"]:
    print("1..0 # SKIP this heaptap has no viewer")
    sys.exit(0)
with tempfile.TemporaryDirectory(prefix="whose") as top:
    top = os.path.realpath(top)
    os.makedirs(f"{top}/parts")
    os.chdir(top)
    for name, text in SOURCES.items():
        with open(name, "w") as file:
            file.write(text)
    subprocess.run(["gcc", "-g", "-O0", *(f"{top}/{name}" for name in SOURCES), "-o", "job"], check=True)
    recorded = run(HEAPTAP, "record", "-q", "--all", "--context", "told in confidence", "-o", "job.ctf", "--", "./job")
    if not os.path.exists("job.ctf"):
        print("1..0 # SKIP a sanitized build has no recorder")
        sys.exit(0)
    told = run(HEAPTAP, "view", "-o", "named.html", "job.ctf")
    check("without it a sentence says what the page names", told.returncode == 0 and told.stderr ==
          "heaptap view --output: named.html: note: it names the host, the process, its program and absolute paths; --anonymous leaves them out\n", told)
    hidden = run(HEAPTAP, "view", "-o", "hidden.html", "--anonymous", "job.ctf")
    check("with it nothing is said", hidden.returncode == 0 and hidden.stderr == "", hidden)
    named, hidden = all_of("named.html"), all_of("hidden.html")
    host = f'"host":"{os.uname().nodename}"'
    pid = re.search(r'"pid":(\d+)', named).group(0)
    for what, text in {"folders": top, "context": "told in confidence", "host": host, "process": pid, "recorder": os.path.dirname(HEAPTAP)}.items():
        check(f"{what}: left out", text not in hidden, what)
        what == "recorder" or check(f"{what}: there without it", text in named, what)
    check("paths are relative to what they share", '"parts/make.c"' in hidden and '"main.c"' in hidden, re.findall(r'"[^"]*\.c"', hidden)[:9])
    check("... with their sources", "memset(malloc(size), 1, size)" in hidden)
    for option in ("--output=alike.html", "-oalike.html"):
        run(HEAPTAP, "view", option, "--anonymous", "job.ctf")
        check(f"{option}, and another option behind it", os.path.exists("alike.html"))
        os.remove("alike.html") if os.path.exists("alike.html") else None
    both = run(HEAPTAP, "view", "-o", "both.html", "--anonymous", "job.ctf", "job.ctf")
    check("several traces are one page", both.returncode == 0 and os.path.exists("both.html"), both)
    blocks, _ = random_blocks(7, 1, 50)
    write_profile("job.pb", blocks, labels_of)
    told = run(HEAPTAP, "view", "-o", "profile.html", "job.pb")
    check("a profile has paths alone", told.returncode == 0 and told.stderr ==
          "heaptap view --output: profile.html: note: it has absolute paths; --anonymous leaves them out\n", told)
end()
