#!/usr/bin/python3
"""heaptap view's server as anyone on this machine may treat it: hosts, paths, methods, bad queries, a
hundred at once, silent connections, cut traces.  Prints TAP."""

import atexit
import base64
import hashlib
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

HEAPTAP = os.environ["HEAPTAP"]
TRACE = os.environ["SOURCE"] + "/tests/golden/valid/lists-and-sets-v1.ctf"
count = 0
failed = 0


def check(name, good, detail=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good and detail != "":
        print("# " + str(detail).replace("\n", "\n# "))


class Server:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([HEAPTAP, "view", "--no-browser", *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        atexit.register(self.process.kill)
        line = self.process.stdout.readline().decode()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/\n", line)
        self.port = int(found[1]) if found else 0
        self.token = found[2] if found else ""
        while self.port and self.get("/api/answer?report=top")[0] == 503:
            time.sleep(0.02)

    def send(self, data):
        """What comes back for these bytes, until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.settimeout(120)
            connection.sendall(data)
            got = b""
            while True:
                try:
                    part = connection.recv(65536)
                except ConnectionResetError:
                    break
                if not part:
                    break
                got += part
        return got

    def get(self, target, method="GET", host=None, headers="", token=None):
        """`target` comes after the token of the address; with an empty one, it is all of the path."""
        if token is None:
            token = "/" + self.token
        if host is None:
            host = f"127.0.0.1:{self.port}"
        got = self.send(f"{method} {token}{target} HTTP/1.1\r\nHost: {host}\r\n{headers}Connection: close\r\n\r\n".encode())
        head, _, body = got.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split()[1]) if len(lines[0].split()) > 1 else 0
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        return status, fields, body

    def end(self, how=signal.SIGINT):
        self.process.send_signal(how)
        stderr = self.process.communicate()[1].decode()
        return self.process.returncode, stderr


server = Server(TRACE)

# ---- Who may ask.  Blanks around a field's value are no part of it in HTTP; libmicrohttpd 1.0 takes them off, 0.9 does not.
for host, wanted in [("127.0.0.1:{}", 200), ("localhost:{}", 200), ("LOCALHOST:{}", 200), ("[::1]:{}", 200),
                     ("127.0.0.1", 403), ("evil.example:{}", 403), ("127.0.0.1.evil.example:{}", 403),
                     ("127.0.0.1:1", 403), ("", 403), ("localhost:{} evil", 403), ("localhost:{}, evil", 403)]:
    name = host.format(server.port)
    status = server.get("/api/about", host=name)[0]
    check(f"Host '{host}' gets {wanted}", status == wanted, status)
for twice in [b"Host: evil.example", b"Content-Length: 0\r\nContent-Length: 5", b"Content-Length: 0\r\nTransfer-Encoding: chunked",
              b"Content-Length : 5", b"Content-Length\t: 5", b"Content-Length: +5", b"Transfer-Encoding: xchunked", b"Transfer-Encoding: chunked, identity"]:
    got = server.send(b"GET /%s/api/about HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n%s\r\n\r\n0\r\n\r\n"
                      % (server.token.encode(), server.port, twice))
    check(f"what two servers could understand in two ways is refused: {twice}", got.startswith(b"HTTP/1.1 400 "), got[:200])
got = server.send(b"GET / HTTP/1.0\r\n\r\n")
check("no Host at all gets 403", b" 403 " in got.split(b"\r\n")[0], got[:100])
wrong = [server.token[:-1] + ("0" if server.token[-1] != "0" else "1"), server.token[:-1], server.token + "0", server.token.upper() + "x",
         "0" * 32, server.token[1:] + server.token[0]]
for path in ["/", "/api/about", "/page.js", "/api/tree?token=" + server.token, "/?" + server.token, "/" + server.token,
             "//" + server.token + "/"] + [f"/{token}/api/about" for token in wrong]:
    status, _, body = server.get(path, token="")
    check(f"without the token {path[:44].replace(server.token, 'TOKEN')} gets 403", status == 403 and b"heaptap view printed" in body, (status, body[:80]))
check("two servers have two tokens", len({server.token, *(Server(TRACE).token for _ in range(2))}) == 3)
listeners = {line.split()[1].split(":")[0] for line in open("/proc/net/tcp").read().splitlines()[1:]
             if line.split()[3] == "0A" and line.split()[1].endswith(":%04X" % server.port)}
check("it listens on 127.0.0.1 alone", listeners == {"0100007F"}, listeners)

# ---- What may be asked
for method in ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "BREW"]:
    status, fields, _ = server.get("/api/about", method=method)
    check(f"{method} gets 405 and is told of GET", status == 405 and fields.get("allow") == "GET", (status, fields))
for path in ["/../../../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/etc/passwd",
             "/page.js/..", "/./page.js", "/api", "/api/", "/api/tree/", "/API/about", "/page.js%00", "/index.html", "/.git/config",
             "/favicon.ico/", "/\\..\\..\\etc\\passwd", "/" + "a" * 5000]:
    status, _, body = server.get(path)
    check(f"{path[:40]} is not there", status == 404 and b"root:" not in body, (status, body[:60]))
status, fields, body = server.get("/")
check("the page is there", status == 200 and b"<title>heaptap" in body)
check("it may load nothing from elsewhere", "default-src 'none'" in fields.get("content-security-policy", ""), fields)
check("nothing that is inline runs", "unsafe-inline" not in fields["content-security-policy"] and "base-uri 'none'" in fields["content-security-policy"]
      and "form-action 'none'" in fields["content-security-policy"], fields)
check("its type is not guessed", fields.get("x-content-type-options") == "nosniff", fields)
check("the page keeps its state in its query", server.get("/?view=top&filter=x&anything=1")[0] == 200)
for path in ["/page.js", "/page.css", "/layout.js", "/favicon.ico"]:
    check(f"{path} is there", server.get(path)[0] == 200)

for path in ["/", "/page.js", "/page.css", "/layout.js"]:
    plain, packed = server.get(path), server.get(path, headers="Accept-Encoding: br, gzip;q=0.8\r\n")
    check(f"{path} comes compressed to who takes that", packed[1].get("content-encoding") == "gzip" and zlib.decompress(packed[2], 31) == plain[2]
          and len(packed[2]) < len(plain[2]) and "content-encoding" not in plain[1], (packed[1], len(packed[2]), len(plain[2])))
check("and not to who does not", "content-encoding" not in server.get("/page.js", headers="Accept-Encoding: br, gzip;q=0, deflate\r\n")[1])

# ---- The same question again
question = "/api/answer?report=tree&form=columns&nodes=1000&filter=size%3E1"
answers = [server.get(question)[2] for _ in range(3)]
check("a question that is asked again has the same answer", answers[0] == answers[1] == answers[2] and len(answers[0]) > 1000)
for number in range(80): # more than are kept
    server.get(f"/api/answer?report=top&node-count={number + 1}")
check("... also when others came between", server.get(question)[2] == answers[0])
check("... and another question another", server.get(question + "&reverse=1")[2] != answers[0])

# ---- Two source files in one report
with tempfile.TemporaryDirectory() as folder:
    trace = os.environ["SOURCE"] + "/tests/golden/valid/ocamlopt-v1.ctf"
    for name in ["asmcomp/interf.ml", "typing/btype.ml", "set.ml", "typing/ctype.ml", "asmcomp/liveness.ml", "file_formats/cmi_format.ml"]:
        os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
        with open(os.path.join(folder, name), "w") as file:
            file.writelines(f"let line_{line} = {name!r} {'x' * (line % 90)}\n" for line in range(1, 2000))
    sourced = Server(trace, "--source-path", folder)
    got = json.loads(sourced.get("/api/answer?report=advice")[2])["points"]
    told = subprocess.run([HEAPTAP, "advice", "--json", "--source-path", folder, trace], capture_output=True, check=True)
    wanted = json.loads(told.stdout)["points"]
    check("a report that reads several sources has the lines of each", [point.get("source") for point in got] == [point.get("source") for point in wanted] and len([point for point in wanted if "source" in point]) > 1,
          ([point.get("source") for point in got], [point.get("source") for point in wanted]))
    sourced.end()

# ---- Wrong questions
for query, words in [("answer?report=tree&nodes=0", "'nodes' takes a whole number from 1 to 1000000, not '0'"), ("answer?report=tree&nodes=-1", "not '-1'"), ("answer?report=tree&nodes=1e9", "not '1e9'"),
                     ("answer?report=tree&nodes=99999999999999999999", "'nodes' takes"), ("answer?report=tree&nodes=", "not ''"), ("answer?report=tree&sample=grams", "there is no sample type 'grams'"),
                     ("answer?report=tree&granularity=atom", "functions, filefunctions, files, lines"), ("answer?report=tree&reverse=2", "1 or 0"), ("answer?report=tree&colour=red", "takes no 'colour'"),
                     ("answer?report=tree&nodes", "without a value"), ("answer?report=tree&nodes=1&nodes=2", "there twice"), ("answer?report=tree&filter=%zz", "escape that is none"),
                     ("answer?report=tree&filter=%00", "escape that is none"), ("answer?report=tree&filter=%", "escape that is none"), ("answer?report=tree&filter=" + "a" * 5000, "fewer than 4096 bytes"),
                     ("answer?report=tree&filter=" + "%61" * 7000, "longer than"), ("answer?report=timeline&steps=0", "from 1 to 1000000"), ("answer?report=timeline&from=5&to=5", "--from has to be before --to"), ("answer?report=timeline&from=1000000s", "the run ends before --from"), ("answer?report=timeline&from=-1s", "takes a time such as"),
                     ("answer?report=timeline&to=soon", "takes a time such as 1.5s or 20ms"), ("about?filter=x", "takes no 'filter'"), ("answer?report=tree&file=1", "no file of this number"),
                     ("answer?report=tree&file=64", "the number of a file"), ("answer?report=peek", "no functions given"), ("answer?report=tree&base=1", "no base to compare with"),
                     ("answer?report=top&base=1", "no base to compare with"), ("answer?report=leaks&base=1", "it takes no base"), ("answer?report=top&columns=" + "a" * 300, "fewer than 256 bytes"), ("answer?report=top&form=rows", "takes columns, not"), ("answer?report=timeline&file=base", "no base to compare with"),
                     ("answer?report=tree&filter=sise%3E3", "did you mean size"), ("answer?report=tree&filter=focus%3D(", "not a regular expression"), ("answer?report=distributions&granularity=files", "takes no 'granularity'")]:
    status, _, body = server.get("/api/" + query)
    check(f"{query[:40]}: 400, and says what is wrong", status == 400 and words in body.decode(), (status, body[:200]))
status, _, body = server.get("/api/answer?report=tree&filter=size%3E3%20sise%3E3")
answer = json.loads(body)
check("a wrong filter is pointed at", status == 400 and answer["offset"] == 7 and answer["length"] == 4, answer)
check("an empty parameter list is no mistake", server.get("/api/about?")[0] == 200)
check("nor are idle ampersands", server.get("/api/answer?report=tree&&nodes=3&")[0] == 200)
for junk in [b"\r\n\r\n", b"GET\r\n\r\n", b"\x00\x01\x02\x03\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * 200000 + b"\r\n\r\n",
             b"A" * 200000 + b"\r\n\r\n"]:
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        try:
            connection.sendall(junk)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass
    check(f"after {junk[:12]!r} it goes on", server.get("/api/about")[0] == 200)

# ---- Sources: files that the trace names, and no others
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/list.ml", "w") as file:
        file.write("".join(f"line {i} of list\n" for i in range(1, 600)))
    for name in ["secret", "top", "main"]:
        with open(f"{folder}/{name}", "w") as file:
            file.write("SECRET\n" * 600)
    os.mkdir(folder + "/below")
    sources = Server("--source-path", folder + "/below:" + folder, os.environ["SOURCE"] + "/tests/golden/valid/ocamlopt-small-v3.ctf")
    answer = json.loads(sources.get("/api/answer?report=list&function=^Stdlib__list.map$")[2])
    lines = [line for routine in answer["functions"] for line in routine["lines"]]
    check("a source that the trace names is shown line by line", lines and all(line["source"] == f"line {line['line']} of list" for line in lines), answer)
    for name in ["secret", "../secret", folder + "/secret", "list.ml", "%2e%2e%2fsecret", "/etc/passwd", "../../../../../../etc/passwd", "main",
                 "Stdlib__list.map/../secret", "Stdlib__list.map%0asecret"]:
        status, _, body = sources.get("/api/answer?report=list&function=" + name)
        check(f"a function '{name[:30]}' shows no file", status == 200 and b"SECRET" not in body and b"root:" not in body and b"of list" not in body, (status, body[:200]))
    for query in ["answer?report=list&function=Stdlib__list.map&file=/etc/passwd", "answer?report=list&function=Stdlib__list.map&path=secret",
                  "answer?report=list&function=Stdlib__list.map&source-path=/etc", "answer?report=list&function=a%00b", "answer?report=list"]:
        status, _, body = sources.get("/api/" + query)
        check(f"{query[:50]}: 400", status == 400 and b"SECRET" not in body, (status, body[:200]))
    sources.end()
    # The same trace from below/: the file is not there, and a link to it leads out.
    os.symlink("../list.ml", folder + "/below/list.ml")
    sources = Server("--source-path", folder + "/below", os.environ["SOURCE"] + "/tests/golden/valid/ocamlopt-small-v3.ctf")
    answer = json.loads(sources.get("/api/answer?report=list&function=^Stdlib__list.map$")[2])
    check("a link out of the source folders shows nothing", answer["functions"] and not any(routine["source"] for routine in answer["functions"])
          and not any("source" in line for routine in answer["functions"] for line in routine["lines"]), answer)
    sources.end()

# ---- Many
silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(150)]
for connection in silent[:75]:
    connection.sendall(b"GET /api/about HTT")
statuses = [0] * 100
reference = server.get("/api/answer?report=tree&form=columns&nodes=50")[2]


def ask(i):
    statuses[i] = server.get("/api/answer?report=tree&form=columns&nodes=50")[0::2] == (200, reference)


threads = [threading.Thread(target=ask, args=(i,)) for i in range(100)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
check("a hundred at once get the same answer, beside 150 who say nothing", sum(statuses) == 100, sum(statuses))
for connection in silent:
    connection.close()
other = subprocess.run([HEAPTAP, "view", "--no-browser", "--port", str(server.port), TRACE], capture_output=True, text=True, stdin=subprocess.DEVNULL)
check("a port that is taken is told", other.returncode == 4 and "cannot listen on 127.0.0.1" in other.stderr, (other.returncode, other.stderr))
status, stderr = server.end()
check("Ctrl-C ends it well, without a word", (status, stderr) == (0, ""), (status, stderr))

# ---- Files that are not what they should be
with tempfile.TemporaryDirectory() as folder:
    whole = open(TRACE, "rb").read()
    cut = folder + "/cut.ctf"
    open(cut, "wb").write(whole[:len(whole) * 2 // 3])
    server = Server(cut)
    about = json.loads(server.get("/api/about")[2])
    check("a cut trace is shown as far as it goes, and says so", about["state"] == "ready" and about["files"][0]["remark"] and about["files"][0]["objects"] > 0, about)
    status, stderr = server.end(signal.SIGTERM)
    check("its status is 3, its message names the byte", status == 3 and "byte" in stderr, (status, stderr))
    for name, data, words in [("empty", b"", "empty"), ("text", b"hello, world\n" * 9, ""), ("zeros", bytes(999), "")]:
        path = folder + "/" + name
        open(path, "wb").write(data)
        done = subprocess.run([HEAPTAP, "view", "--no-browser", path], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        check(f"{name} is no trace: status 3 and a sentence", done.returncode == 3 and path in done.stderr, (done.returncode, done.stderr))
        done = subprocess.run([HEAPTAP, "view", path, "-o", folder + "/out.html"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        check("... nor for a report, which isn't written", done.returncode == 3 and not os.path.exists(folder + "/out.html"), (done.returncode, done.stderr))
    server = Server(folder + "/text", TRACE, folder + "/nofile", folder + "/zeros")
    files = json.loads(server.get("/api/about")[2])["files"]
    status, stderr = server.end()
    check("files that can't be read are told, the others are shown", [len(files), status] == [1, 3]
          and all(folder + name in stderr for name in ("/text", "/nofile", "/zeros")), (files, status, stderr))

    # ---- The browser: its arguments, which all may read, have no token; what it is given is the user's alone
    seen = folder + "/seen"
    os.mkdir(folder + "/bin")
    with open(folder + "/bin/xdg-open", "w") as script:
        script.write(f"#!/bin/sh\nstat -c %a \"$1\" >{seen}.new\ncat \"$1\" >>{seen}.new\necho \"$@\" >>{seen}.new\nmv {seen}.new {seen}\n")
    os.chmod(folder + "/bin/xdg-open", 0o755)
    environment = {**os.environ, "PATH": folder + "/bin:" + os.environ["PATH"], "XDG_RUNTIME_DIR": folder}
    for how in (signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen([HEAPTAP, "view", TRACE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        address = process.stdout.readline().decode().strip()
        while not os.path.exists(seen):
            time.sleep(0.02)
        mode, page, arguments = open(seen, encoding="utf-8").read().splitlines()
        token = address.rstrip("/").rpartition("/")[2]
        check("the browser is given a file for the user alone", mode == "600" and arguments.startswith(folder + "/heaptap-") and token not in arguments,
              (mode, arguments))
        check("... which leads to the address", f"url={address}" in page, page)
        process.send_signal(how)
        process.communicate()
        check("... and goes with the server", not os.path.exists(arguments), arguments)
        os.remove(seen)
    for wrong in (["nofile"], [folder + "/text"], [folder + "/nofile", folder + "/zeros"]):
        done = subprocess.run([HEAPTAP, "view", *wrong], capture_output=True, text=True, env=environment, check=False)
        check("nothing to show: no browser, no address", (done.returncode, done.stdout, os.path.exists(seen)) == (3, "", False), (done, os.path.exists(seen)))
    clauses = ["size>=3w", "live-at=peak"]
    subprocess.run([HEAPTAP, "view", TRACE, *clauses, "-o", folder + "/filtered.html"], check=True)
    text = open(folder + "/filtered.html", encoding="utf-8").read()
    answers = json.loads(text.split('id="answers">')[1].split("</script>")[0])
    wanted = [json.loads(subprocess.run([HEAPTAP, "top", "--json", TRACE, *clauses, *more], capture_output=True, text=True, check=True).stdout)["selected"]
              for more in ([], ["collected=never"])]
    stacks = json.loads(text.split('id="stacks">')[1].split("</script>")[0])
    data, at, got = zlib.decompress(base64.b64decode(stacks["data"])), 8 * stacks["nodes"], []
    for choice in stacks["choices"]:
        samples = struct.unpack(f"<{choice['entries']}d", data[at + 4 * choice["entries"]:at + 12 * choice["entries"]])
        at += 20 * choice["entries"]
        if choice["filter"] in ("", "collected=never"):
            got.append(sum(samples) * choice["unit"])
    check("a report's stacks are just as long as they say", at == len(data), (at, len(data)))
    hashes = {"sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
              for part in re.findall(r"<style>(.*?)</style>", text, re.S) + re.findall(r"<script(?: type=\"text/plain\" id=\"layout\")?>(.*?)</script>", text, re.S)}
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    check("a report's policy has the hashes of what is in it", len(hashes) == 3 and hashes == set(re.findall(r"'(sha256-[^']*)'", policy)), (hashes, policy))
    check("... and allows nothing else", "unsafe-inline" not in policy and "base-uri 'none'" in policy and "form-action 'none'" in policy, policy)
    check("a report under a filter names it", answers["/api/about"]["files"][0]["filter"] == " ".join(clauses), answers["/api/about"])
    check("... and is about what it leaves, also of its presets", got == wanted and wanted[0] > wanted[1], (got, wanted))
    for clause, words in [("sise=3", ""), ("tag=x", "no labels")]:
        done = subprocess.run([HEAPTAP, "view", TRACE, clause, "-o", folder + "/out.html"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        check(f"report: {clause} is refused", done.returncode == 2 and words in done.stderr and "^^^^" in done.stderr and not os.path.exists(folder + "/out.html"), (done.returncode, done.stderr))
    done = subprocess.run([HEAPTAP, "view", TRACE, "-o", folder + "/no/such/out.html"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    check("a report that can't be written is told", done.returncode == 4 and "out.html" in done.stderr, (done.returncode, done.stderr))

# ---- A trace that is larger than the memory it may take is thinned, and says so
big = os.environ["SOURCE"] + "/tests/golden/valid/ocamlopt-v1.ctf"
whole = json.loads(subprocess.run([HEAPTAP, "top", "--json", big], capture_output=True, check=True).stdout)
thin, all_of_it = Server("--memory", "1MB", big), Server("--memory", "1GB", big)
about = json.loads(thin.get("/api/about")[2])["files"][0]
check("a trace above --memory is thinned, and its rate says so", about["thinned"] > 2 and abs(about["sample_rate"] * about["thinned"] / whole["sample_rate"] - 1) < 1e-9
      and abs(about["objects"] * 48 / (1 << 20) - 1) < 0.05, about)
got = json.loads(thin.get("/api/answer?report=top")[2])
check("... its estimates are right within their bounds", got["selected_low"] < whole["selected"] < got["selected_high"]
      and abs(got["samples"] * about["thinned"] / whole["samples"] - 1) < 0.05, got["selected"])
half = json.loads(thin.get("/api/answer?report=top&filter=live-at%3Dpeak")[2])
check("... also of what is alive at the peak", half["selected_low"] < about["peak_bytes"] * 1.000001 and half["selected_high"] > about["peak_bytes"] * 0.999999, half["selected"])
check("a trace below it is not", json.loads(all_of_it.get("/api/about")[2])["files"][0]["thinned"] == 1
      and json.loads(all_of_it.get("/api/answer?report=top")[2])["selected"] == whole["selected"])
thin.end()
all_of_it.end()

for arguments, words in [(["view"], "no trace given"), (["view", "--memory", "5", TRACE], "a size of 1 MB and more"), (["view", "--port", "99999", TRACE], "65535"), (["view", "--port", "x", TRACE], "65535"),
                         (["view", "--nodes", "0", "-o", "x", TRACE], "--nodes")]:
    done = subprocess.run([HEAPTAP, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    check(f"heaptap {' '.join(arguments)[:30]}: status 2 and why", done.returncode == 2 and words in done.stderr, (done.returncode, done.stderr))

print(f"1..{count}")
sys.exit(1 if failed else 0)
