#!/usr/bin/python3
"""The pages of heaptap fleet serve, as a browser asks for them: the same figures as the commands have, and what is refused.  Prints TAP."""

import base64
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

HEAPTAP = os.environ["HEAPTAP"]
HELPERS = os.environ["SOURCE"] + "/tests/helpers"
sys.path.insert(0, HELPERS)
from tap import check, end  # noqa: E402

HOSTILE = "<img src=x onerror=alert(1)>/?#&%"


def equal(name, got, wanted):
    check(name, got == wanted, f"got:    {got}\nwanted: {wanted}")


class Server:
    def __init__(self, *arguments, folder=None):
        self.process = subprocess.Popen([HEAPTAP, "fleet", "serve", "--listen", "127.0.0.1:0", *arguments], stdout=subprocess.PIPE, cwd=folder)
        self.url = self.process.stdout.readline().decode().strip()
        self.port = int(self.url.rpartition(":")[2])

    def ask(self, target, method="GET", headers=None, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, target, body, headers or {})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text, answer

    def json(self, target, **parameters):
        query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
        status, text, _ = self.ask(target + query)
        return json.loads(text) if status == 200 else (status, json.loads(text)["error"])

    def end(self):
        self.process.terminate()
        return self.process.wait()


def command(*arguments):
    return json.loads(subprocess.run([HEAPTAP, *arguments], capture_output=True, check=False).stdout)


def path(selection):
    return urllib.parse.quote(selection, safe="")


folder = tempfile.TemporaryDirectory()
store = folder.name + "/fleet.db"
server = Server("--store", store)
begin = int(subprocess.run([sys.executable, HELPERS + "/make_fleet.py", server.url], check=True, capture_output=True).stdout)
middle, until = begin + 7200, begin + 14400
times = f"time={begin}..{until}"

# The page itself.
status, text, answer = server.ask("/")
check("the page", status == 200 and "page.js" in text and answer.getheader("Content-Type") == "text/html; charset=utf-8")
check("... lets scripts come from the server alone", "script-src 'self'" in answer.getheader("Content-Security-Policy") and
      "frame-ancestors 'none'" in answer.getheader("Content-Security-Policy"))
for target, kind in [("/page.js", "text/javascript; charset=utf-8"), ("/page.css", "text/css; charset=utf-8"), ("/favicon.ico", "image/svg+xml"),
                     ("/show/all/", "text/html; charset=utf-8"), ("/show/all/page.js", "text/javascript; charset=utf-8"),
                     ("/show/service%3Dapi/against/all/layout.js", "text/javascript; charset=utf-8")]:
    status, text, answer = server.ask(target)
    equal("a file: " + target, (status, answer.getheader("Content-Type"), len(text) > 100), (200, kind, True))

# What there is, and the reports: what the commands say.
labels = server.json("/api/about")
equal("what there is, and from when until when", [labels["name"], labels["state"], labels["from_us"], labels["until_us"]],
      [store, "fleet", begin * 1000000, until * 1000000])
equal("labels", [(one["label"], one["values"], one["more"]) for one in labels["labels"]],
      [("host", ["h0", "h1"], False), ("service", [HOSTILE, "api", "search"], False), ("version", ["1.3", "1.4"], False)])
for name, parameters, arguments in [
        ("all", {"of": "all"}, []),
        ("by version", {"of": "service=search", "by": "version", "steps": 12}, ["service=search", "--by", "version", "--steps", "12"]),
        ("of a time", {"of": times, "steps": 7}, [times, "--steps", "7"]),
        ("through a function", {"of": times, "through": "index.Scan"}, [times, "--through", "index.Scan"]),
        ("the first row", {"of": "all", "node-count": 1}, ["-n", "1"])]:
    got, wanted = server.json("/api/services", **parameters), command("fleet", "services", "--json", f"store:{store}", *arguments)
    got.pop("store"), wanted.pop("store")
    equal("services, " + name, got, wanted)
    check("... with rows", len(got["services"]) > 0)
base, new = f"service=search time={begin}..{middle}", f"service=search time={middle}..{until}"
got = server.json("/api/regressions", base=base, of=new)
wanted = command("fleet", "regressions", "--json", f"store:{store} {base}", f"store:{store} {new}")
equal("regressions", got["sites"], wanted["sites"])
equal("... of which the one that grew is named", [site["function"] for site in got["sites"][:got["found"]]], ["index.Scan"])
site = got["sites"][0]
equal("... with its line, and what it has beyond the base's share", [site["line"], round(site["growth"] / (site["new_value"] - site["base_share"] * got["new_total"]), 9)], [10, 1])
check("... within bounds", 0 < site["growth_low"] < site["growth"] < site["growth_high"], site)
equal("a site that has no base to grow from", [server.json("/api/regressions", base="service=none", of=new)[0]], [400])

# The viewer on what is chosen.
for selection in ["all", "service=api", f"service=search {times}", "version!=1.3", f'service="{HOSTILE}"']:
    total = command("top", "--json", "-n", "1", f"store:{store}" + ("" if selection == "all" else " " + selection))["total"]
    equal("the viewer on " + selection, server.json(f"/show/{path(selection)}/api/answer", report="top", sample=1)["selected"], total)
about = server.json(f"/show/{path(new)}/against/{path(base)}/api/about")
equal("... says what it shows, and the way back", [about["state"], about["home"], about["base"]["name"].startswith("service=search, ")],
      ["ready", f"../../../../?time={middle}..{until}", True])
check("... in words", re.fullmatch(r"service=search, \d{4}-\d\d-\d\d \d\d:00:00 to \d{4}-\d\d-\d\d \d\d:00:00 UTC", about["name"]), about["name"])
got = server.json(f"/show/{path(new)}/against/{path(base)}/api/answer", report="top", sample=1, base=1)
equal("... compared with a base", [got["total"], got["base_total"]],
      [command("top", "--json", f"store:{store} {side}")["total"] for side in (new, base)])
equal("a report, in the viewer", server.json("/show/service%3Dapi/api/answer", report="hotspots")["sites"][0]["function"], "api.Handle")
chosen = [f"version=1.{i} host=h{j}" for i in (3, 4) for j in (0, 1)] + ["host=h0", "host=h1"]
totals = [[server.json(f"/show/{path(one)}/api/answer", report="top")["selected"] for one in chosen] for _ in range(2)]
equal("more choices than are kept", totals[0], totals[1])

# What is refused.
for target, wanted in [
        ("/nothing", (404, "there is no such page")),
        ("/show/all", (404, "there is no such page: /show/SELECTION/ shows what is chosen")),
        ("/show//", (404, "there is no such page: /show/SELECTION/ shows what is chosen")),
        ("/show/%zz/", (404, "there is no such page: /show/SELECTION/ shows what is chosen")),
        ("/show/all/etc/passwd", (404, "there is no such page")),
        ("/show/all/api/answer?report=tree&nodes=x", (400, "'nodes' takes a whole number from 1 to 1000000, not 'x'")),
        ("/show/service%3Dnone/api/about", (400, "no profile of the store has these labels and times")),
        ("/show/nonsense/api/about", (400, "'nonsense' is no condition: use NAME=VALUE, NAME!=VALUE or time=...")),
        ("/api/services?of=time%3Dsoon", (400, "'soon' is no time: use 'last 24h', a day such as 2026-11-20, or FROM..TO")),
        ("/api/services?by=1", (400, "'1' is no name of a label")),
        ("/api/services?steps=2001", (400, "'steps' takes a whole number from 1 to 2000, not '2001'")),
        ("/api/services?rate=0.1", (400, "services takes no 'rate'")),
        ("/api/about?of=all", (400, "this page takes no 'of'")),
        ("/show/" + "a" * 5000 + "/", (404, "there is no such page: /show/SELECTION/ shows what is chosen"))]:
    status, text, answer = server.ask(target)
    equal("refused: " + target[:60], (status, json.loads(text)["error"]), wanted)
equal("another Host is refused", server.ask("/", headers={"Host": "example.com"})[0], 403)
equal("... and a page of another origin", server.ask("/api/about", headers={"Origin": "http://example.com"})[0], 403)
equal("pages are read, not written", server.ask("/show/all/", "POST", body=b"x")[0], 404)
equal("it ends", server.end(), 0)

# With a token, a browser asks for a password: that is the token.  It opens pages, and sends nothing.
(pathlib.Path(folder.name) / "token").write_text("secret-token-of-24-letters\n")
os.chmod(folder.name + "/token", 0o600)
server = Server("--store", store, "--token", folder.name + "/token")
basic = {"Authorization": "Basic " + base64.b64encode(b"me:secret-token-of-24-letters").decode()}
status, text, answer = server.ask("/")
equal("without the token", (status, sorted(answer.msg.get_all("WWW-Authenticate"))), (401, ['Basic realm="heaptap"', "Bearer"]))
equal("as a password", server.ask("/", headers=basic)[0], 200)
equal("as a bearer's", server.ask("/api/about", headers={"Authorization": "Bearer secret-token-of-24-letters"})[0], 200)
for wrong in ["Basic " + base64.b64encode(b"me:secret-token-of-24-letterz").decode(), "Basic " + base64.b64encode(b"secret-token-of-24-letters").decode(), "Basic !!!", "Basic",
              "Basic " + "QUFB" * 1000, "Bearer me:secret-token-of-24-letters"]:
    equal("refused: " + wrong[:30], server.ask("/", headers={"Authorization": wrong})[0], 401)
equal("a password sends no profiles", server.ask("/profiles?service=x", "POST", basic, b"x")[0], 401)
server.end()

# Sources: of files below --source-path alone, whatever profiles name; not of those where the server was started.
trace = pathlib.Path(os.environ["SOURCE"] + "/tests/golden/valid/ocamlopt-small-v3.ctf").read_bytes()
started, sources = pathlib.Path(folder.name) / "started", pathlib.Path(folder.name) / "sources"
started.mkdir(), sources.mkdir()


def source_of(*arguments):
    one = Server("--store", folder.name + "/traced.db", "--max-age", "9000d", *arguments, folder=started)
    one.ask("/profiles?" + urllib.parse.urlencode({"service": "traced"}), "POST", body=trace)
    found = [routine for routine in one.json("/show/all/api/answer", report="list", function=".")["functions"] if routine["file"] == "typing/typecore.ml"]
    one.end()
    return found[0]["source"], any("source" in line for line in found[0]["lines"])


for place in (started, sources):
    (place / "typing").mkdir()
    (place / "typing" / "typecore.ml").write_text("let x = 1\n" * 9000)
    for arguments in ([], ["--source-path", str(sources)]):
        is_there = place == sources and arguments != []
        equal(f"sources where the server was started{' and below the path' * (place == sources)}, {'with' if arguments else 'without'} --source-path",
              [is_there, is_there], [bool(one) for one in source_of(*arguments)])
end()
