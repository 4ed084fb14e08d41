#!/usr/bin/python3
"""heaptap fleet serve with a certificate, and heaptap record that sends to it: who knows the server, who does not, and what is said of
files that are no certificates or keys.  Prints TAP."""

import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from pprof_profile import profile  # noqa: E402
from serving import HEAPTAP, Server, total  # noqa: E402
from tap import check, end  # noqa: E402

if not shutil.which("openssl"):
    print("1..0 # SKIP there is no openssl to make certificates with")
    sys.exit(0)
PHASES = os.environ.get("PHASES")  # a program to record; nothing is recorded where sanitizers are
small = profile({("malloc", "main"): (10, 1000)})
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def certificate(name, address):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem",
            "-subj", "/CN=heaptap", "-addext", f"subjectAltName={address}")


def refused(*arguments):
    done = subprocess.run([HEAPTAP, "fleet", "serve", "--store", "no.db", "--listen", "127.0.0.1:0", *arguments], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=20, check=False)
    return done.returncode, done.stderr


certificate("own", "IP:127.0.0.1")
certificate("other", "IP:127.0.0.1")
certificate("elsewhere", "DNS:profiles.example")
# OpenSSL 3.4 and later refuse negative days, and take dates, which earlier ones don't know.
try:
    openssl("x509", "-in", "other.pem", "-signkey", "other.key", "-days", "-1", "-out", "old.pem")
except subprocess.CalledProcessError:
    openssl("x509", "-in", "other.pem", "-signkey", "other.key", "-not_before", "20200101000000Z", "-not_after", "20200201000000Z", "-out", "old.pem")
openssl("pkey", "-in", "own.key", "-aes256", "-passout", "pass:secret", "-out", "encrypted.key")
pathlib.Path("text").write_text("hello\n")
pem = pathlib.Path("own.pem").read_text()
pathlib.Path("damaged.pem").write_text(pem[:200] + pem[240:])

# ---- With TLS
server = Server("--store", "app.db", "--certificate", "own.pem", "--key", "own.key", authority="own.pem")
check("it listens, and says https", server.port > 0, server.url)
check("/healthz", server.ask("GET", "/healthz")[:2] == (200, "ok\n"))
got = server.post("/profiles?service=api", small), server.post("/profiles?service=api", small)
check("a profile, twice", got == ((200, "added\n"), (200, "there before\n")), got)
large = profile({(f"f{i}" + "x" * 9000, "main"): (1, 64) for i in range(900)})
got = server.post("/profiles?service=large", large)
check(f"one of {len(large) >> 20} MB", got == (200, "added\n"), got)
check("another Host: 403", server.post("/profiles?service=x", small, {"Host": "evil.example"})[0] == 403)
connection = server.connect()
statuses = []
for _ in range(20):
    connection.request("POST", "/profiles?service=api", small)
    answer = connection.getresponse()
    answer.read()
    statuses.append(answer.status)
connection.close()
check("many in one connection", statuses == [200] * 20, statuses)
plain = server.raw(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 5)
check("who does not encrypt gets no answer", b"HTTP" not in plain and b"ok" not in plain, plain)
silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
check("those who connect and say nothing hold up nobody", server.ask("GET", "/healthz")[0] == 200)
for one in silent:
    one.close()
try:
    ssl.create_default_context(cafile="other.pem").wrap_socket(socket.create_connection(("127.0.0.1", server.port)), server_hostname="127.0.0.1")
    got = "taken"
except ssl.SSLCertVerificationError as error:
    got = error.verify_message
check("another's certificate is not its own", "self-signed" in got or "self signed" in got, got)
versions = []
for version in [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]:
    context = ssl.create_default_context(cafile="own.pem")
    context.minimum_version = context.maximum_version = version
    with context.wrap_socket(socket.create_connection(("127.0.0.1", server.port)), server_hostname="127.0.0.1") as one:
        versions.append(one.version())
check("TLS 1.2 and 1.3", versions == ["TLSv1.2", "TLSv1.3"], versions)
old = ssl.create_default_context(cafile="own.pem")
old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
old.set_ciphers("ALL:@SECLEVEL=0")
try:
    old.wrap_socket(socket.create_connection(("127.0.0.1", server.port)), server_hostname="127.0.0.1")
    got = "taken"
except OSError as error:
    got = str(error)
check("nothing older", "taken" not in got, got)

# ---- Those who send
if PHASES:
    subprocess.run(["gcc", "-O1", "-g", "-o", "phases", PHASES], check=True)

    def record(url, *options):
        done = subprocess.run([HEAPTAP, "record", "--all", "--every", "1s", "--push", url, "--spool", "spool", *options, "--", "./phases", "1", "1"],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        return done.stderr

    said = record(server.url, "--ca", "own.pem", "--label", "service=sent")
    check("record --push to https", re.fullmatch(r"\d profiles? sent to " + server.url + "/profiles\n", said), said)
    check("... is in the store", total("app.db", "service=sent", "--sample=alloc_objects") == 110, total("app.db", "service=sent"))
    said = record(server.url)
    check("a server that is not known: profiles wait, and why", "0 profiles sent" in said and re.search(
        r"/profiles: SSL certificate problem: self.signed certificate; \d profiles? waits? in spool", said), said)
    said = record(server.url.replace("127.0.0.1", "localhost"), "--ca", "own.pem")
    check("another name than the certificate's",
          re.search("no alternative certificate subject name matches target host ?name 'localhost'", said), said)
    said = record(server.url, "--ca", "own.pem")
    check("what waited is sent when it is known", re.search(r"^[3-9] profiles sent", said), said)
    said = record(server.url, "--ca", "none.pem")
    check("no such file", said == "heaptap record: none.pem: cannot open: No such file or directory\n", said)
    said = record(server.url, "--ca", "text")
    check("a file that holds no certificate", "0 profiles sent" in said and re.search(r"error setting certificate (file|verify locations)", said), said)
check("it ends when it is told to", server.end() == (0, ""))

# ---- Files that do not do
for name, arguments, sentence in [
        ("no certificate", ("text", "own.key"), "text: there is no certificate in it (-----BEGIN CERTIFICATE-----), or a damaged one"),
        ("a damaged one", ("damaged.pem", "own.key"), "damaged.pem: there is no certificate in it (-----BEGIN CERTIFICATE-----), or a damaged one"),
        ("no key", ("own.pem", "text"), "text: there is no private key in it (-----BEGIN PRIVATE KEY-----), or a damaged one"),
        ("they are exchanged", ("own.key", "own.pem"), "own.key: there is no certificate in it (-----BEGIN CERTIFICATE-----), or a damaged one"),
        ("another's key", ("own.pem", "other.key"), "other.key: it is not the key of the certificate in own.pem"),
        ("an encrypted key", ("own.pem", "encrypted.key"),
         "encrypted.key: the key in it is encrypted: decrypt it, with openssl pkey, into a file that nobody else can read"),
        ("no such certificate", ("none.pem", "own.key"), "none.pem: cannot read it: No such file or directory"),
        ("no such key", ("own.pem", "none.key"), "none.key: cannot read it: No such file or directory")]:
    got = refused("--certificate", arguments[0], "--key", arguments[1])
    check(f"{name}: not started", got == (2, f"heaptap fleet serve: {sentence}\n"), got)
for option in ["--certificate", "--key"]:
    got = refused(option, "own.pem")
    check(f"{option} alone: not started", got[0] == 2 and "--certificate and --key need each other" in got[1], got)
pathlib.Path("token").write_text("0123456789abcdef0123\n")
got = refused("--certificate", "own.pem", "--key", "own.key", "--listen", "0.0.0.0:0")
check("a certificate is no token: other machines", got[0] == 2 and "use --token FILE" in got[1], got)
server = Server("--store", "app.db", "--certificate", "own.pem", "--key", "own.key", "--token", "token", authority="own.pem")
got = [server.post("/profiles?service=token", small, headers)[0] for headers in [{}, {"Authorization": "Bearer 0123456789abcdef0123"}]]
check("with a token", got == [401, 200], got)
server.end()
server = Server("--store", "app.db", "--certificate", "old.pem", "--key", "other.key", authority="old.pem")
check("one that has expired is said", server.end() == (0, "heaptap fleet serve: old.pem: the certificate has expired: senders will refuse it\n"))
end()
