#!/usr/bin/python3
"""What would make a figure wrong is refused, or told: expressions that can't be matched to their end, values and limits that are
larger than numbers are, and words that mean nothing.  Prints TAP."""
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from page_server import PageServer  # noqa: E402
from pprof_profile import profile  # noqa: E402
from protobuf_encode import varint  # noqa: E402
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
LONG = "x" * 40 + "!"
COLUMNS = {  # as src/page/ui asks for them
    "graph": "name,function,file,line,flat,cum,base_flat,base_cum,from,to,weight,residual,inlined,base_weight",
    "top": "name,function,file,line,flat,cum,base_flat,base_cum",
    "peek": "name,function,file,line,flat,cum,value,inlined,base_flat,base_cum,base_value",
}
OF_SERIES = ("live_bytes,live_objects,allocated_bytes,allocated_objects,live_bytes_low,live_bytes_high,live_objects_low,live_objects_high,share,"
             "function,file")
TAKES_LONG = "^(x+x+)+[yz]$|!$"  # tries 2^40 ways to divide the x


def run(*words, **more):
    done = subprocess.run([HEAPTAP, *words], capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL, **more)
    return done.returncode, done.stdout, done.stderr


def ends(name, words, status, said, **more):
    """With that status, and with that at the end of the first line of what is said."""
    code, out, err = run(*words, **more)
    check(name, code == status and err.split("\n")[0].endswith(said), (words, code, out[:300], err[:600]))


def figure(words):
    code, out, err = run(*words, "--json")
    return json.loads(out)["selected"] if code == 0 else (code, err)


os.chdir(tempfile.mkdtemp(dir=os.environ.get("TMPDIR")))
with open("rx.pb", "wb") as file:
    file.write(profile({("main",): (1, 100), (LONG, "main"): (1, 200), ("g", "main"): (1, 300)}))
with open("long.pb", "wb") as file:
    file.write(profile({("main",): (1, 100), ("x" * 1000000 + "!", "main"): (1, 200)}))

# ---- Expressions ---------------------------------------------------------------------------
COMPLEX = f": the regular expression is too complex for the name '{LONG}': write it more simply"
for word in "focus", "ignore", "focus:function", "site", "site:function", "hide", "show", "show-from", "own":
    bare = word.split(":")[0]
    ends(f"{word} that can't be matched to its end is refused", ["top", "rx.pb", f"{word}={TAKES_LONG}"], 2, bare + COMPLEX)
    if word not in ("hide", "show", "show-from", "own"):
        ends(f"... {word}!=, too", ["top", "rx.pb", f"{word}!={TAKES_LONG}"], 2, bare + COMPLEX)
for words in (["tree", "rx.pb"], ["hotspots", "rx.pb"], ["summary", "rx.pb"], ["export", "-f", "folded", "-o", "-", "rx.pb"],
              ["check", "rx.pb", "--max-allocated=10"], ["compare", "rx.pb", "rx.pb"], ["compare", "--long", "rx.pb", "rx.pb"], ["graph", "rx.pb"],
              ["flamegraph", "rx.pb"], ["view", "-o", "page.html", "rx.pb"]):
    ends(f"{words[0]} refuses it", words + [f"ignore={TAKES_LONG}"], 2, "ignore" + COMPLEX)
for words in ["peek"], ["tree", "--callers"], ["tree", "--callees"]:
    code, out, err = run(*words, "rx.pb", TAKES_LONG)
    check(f"{' '.join(words)} of such functions, too", (code, out) == (2, "") and err.endswith(f"'{TAKES_LONG}'{COMPLEX}\n"), (code, out, err))
for expression in "(x|x!)+$", "(x+)+!$", "^(.)+$":
    check(f"{expression} matches a name of 1 MB", figure(["top", "long.pb", f"focus={expression}"]) in (200, 300), figure(["top", "long.pb", f"focus={expression}"]))
if os.environ.get("VIEWER"):
    server = PageServer(HEAPTAP, "rx.pb")
    got = server.ask("answer", report="top", filter=f"ignore={TAKES_LONG}")
    check("the page gets the sentence", got.get("error") == "ignore" + COMPLEX, got)
    got = server.ask("answer", report="peek", function=TAKES_LONG)
    check("... of the functions that it asks for", got.get("error") == COMPLEX[2:], got)
    got = server.ask("answer", report="top", columns="name,nosuch")
    check("a column that a report hasn't is refused", got.get("error") == "top has no column 'nosuch'", got)
    got = server.ask("answer", report="top", columns="name,flat")
    check("... and one that it has isn't", sorted(got["nodes"][0]) == ["flat", "name"], got)
    for report, columns in COLUMNS.items():
        got = server.ask("answer", report=report, columns=columns, function="." if report == "peek" else "")
        check(f"... and those of {report} that the page asks for aren't", "error" not in got or "column" not in got["error"], got)
    got = server.ask("answer", report="top", top=-1)
    check("an option is called as it was asked for", got.get("error") == "'top' takes a whole number, not '-1'", got)
    server.end()
    server = PageServer(HEAPTAP, os.environ["SOURCE"] + "/tests/golden/valid/irmin-replay-v2.ctf")
    got = server.ask("answer", report="timeline", form="columns", columns=OF_SERIES)
    check("... nor bounds of columns", "error" not in got, got)
    server.end()

# ---- Limits and quantities -----------------------------------------------------------------
for text in "99999999999999999999GB", "9223372036854775808", "8388608TB", "1e300":
    for words in (["check", "rx.pb", "--max-allocated", text], ["view", "--no-browser", "--memory", text, "rx.pb"],
                  ["memtracer", "--min-size", text, "true"], ["record", "--max-size", text, "true"],
                  ["fleet", "serve", "--store", "s", "--max-size", text]):
        code, out, err = run(*words)
        check(f"{' '.join(words[:-1])} is refused", code == 2 and text in err.split("\n")[0], (code, out, err))
for clause in ("size>=99999999999999G", "size=99999999999999999999w", "tag:bytes>=99999999999999G", "lifetime>99999999999999999h", "live-at=200%",
               "depth=-1", "depth=1s", "allocated=5s..1s", "allocated=50%..20%", "live-at=end-1s..end-2s", "size=2k..1k", "depth=3..2"):
    code, out, err = run("top", "rx.pb", clause)
    check(f"{clause} is no filter", code == 2 and f"takes a" in err.split("\n")[0] and "not '" in err.split("\n")[0], (code, out, err))
for clause in "size=1k..1k", "depth=2", "depth=1..2", "tag:x=9999999999999999999999":
    code, out, err = run("top", "rx.pb", clause)
    check(f"... but {clause} is", code == 0, (code, out, err))

# ---- Ports ---------------------------------------------------------------------------------
for port in "65536", "99999", "4294967376", "-1", "0x50":
    for words in (["fleet", "serve", "--store", "s", "--listen", f"127.0.0.1:{port}"], ["fleet", "serve", "--store", "s", "--listen", f"[::1]:{port}"],
                  ["view", "--no-browser", "--port", port, "rx.pb"], ["record", "--push", f"http://127.0.0.1:{port}/", "true"],
                  ["record", "--push", f"https://u:1@[::1]:{port}", "true"], ["store", "list", f"clickhouse://127.0.0.1:{port}/db"]):
        code, out, err = run(*words)
        check(f"{words[-2]} {words[-1]}: no such port", code == 2 and port in err or words[0] == "store" and code == 2, (code, out, err))

# ---- Values of other profilers -------------------------------------------------------------
CUT = "values of 2^63 and more are cut to 2^63 - 1, and those of -2^63 and less to -2^63, the limits of this format"
LOST = "values of less than a half count as 0: {}, {} in all"
SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def speedscope(weight):
    return (f'{{"$schema":"{SCHEMA}","shared":{{"frames":[{{"name":"a"}},{{"name":"b"}}]}},"profiles":[{{"type":"sampled","name":"x","unit":"bytes",'
            f'"startValue":0,"endValue":1,"samples":[[0,1],[0]],"weights":[{weight},1]}}]}}')


def v8(size):
    frame = '"callFrame":{"functionName":"f","scriptId":"9","url":"","lineNumber":3,"columnNumber":4}'
    return f'{{"head":{{{frame},"selfSize":0,"id":1,"children":[{{{frame},"selfSize":{size},"id":2,"children":[]}}]}},"samples":[]}}'


def said(content, *more):
    with open("file", "w", encoding="utf-8") as file:
        file.write(content)
    return run("top", "file", *more)


for name, content in (("folded", "main;f 9223372036854775808\n"), ("folded", "main;f 1e30\n".replace("1e30", "9" * 40)), ("speedscope", speedscope("1e308")),
                      ("speedscope", speedscope("9223372036854775808")), ("V8", v8("1e19"))):
    code, out, err = said(content)
    check(f"{name}: a value of 2^63 and more is told", code == 0 and CUT in err, (code, out, err))
for name, content in ("folded", "main;f 9223372036854774784\n"), ("speedscope", speedscope("9223372036854774783")), ("V8", v8("9223372036854774784")):
    code, out, err = said(content, "--json")
    check(f"{name}: one below is taken as it is", code == 0 and err == "" and json.loads(out)["selected"] > 9.2233720368547e18, (code, out, err))
said("main;f 9007199254740993\nmain;g 2\n")
run("pprof", "file", "-o", "exact.pb")
check("folded: all digits of a whole number are kept", varint(9007199254740993) in gzip.open("exact.pb").read())
for name, content, count in ("folded", "main;f 0.25\nmain;g 0.25\nmain;h 3\n", 2), ("speedscope", speedscope("0.25"), 1):
    code, out, err = said(content)
    check(f"{name}: values that become nothing are told", code == 0 and LOST.format(count, 0.25 * count) in err, (code, out, err))
for word in "0x10", "01", "-", ".5", "5.", "1e", "+1", "0e+", "--1":
    for name, content in ("speedscope", speedscope(word)), ("V8", v8(word)), ("skipped", speedscope("1").replace('"startValue":0', f'"startValue":{word}')):
        code, out, err = said(content)
        check(f"{name}: {word} is no number", code == 3 and "byte " in err and "of JSON" in err or "expected" in err, (code, out, err))
for word in "0", "-0", "1e2", "1.5E+1", "10.0e-1":
    code, out, err = said(speedscope(word))
    check(f"... but {word} is", code == 0, (code, out, err))

# ---- Words ---------------------------------------------------------------------------------
ends("memtracer takes one format", ["memtracer", "--json", "--csv", "true"], 2, "--csv is a second format: one at a time")
ends("... however it is called", ["memtracer", "--format=csv", "--format=markdown", "true"], 2, "is a second format: one at a time")
ends("--top without a number is called so", ["top", "rx.pb", "--top"], 2, "option '--top' requires an argument")
ends("... and with a wrong one", ["top", "--top=x", "rx.pb"], 2, "--top takes a whole number, not 'x'")
ends("... and --node-count, where it is a synonym", ["hotspots", "--node-count=x", "rx.pb"], 2, "--node-count takes a whole number, not 'x'")
ends("--live and -o", ["view", "rx.pb", "-o", "page.html", "--live"], 2,
     "--live follows a trace in the browser, and -o writes a page once: leave out one of them")
end()
