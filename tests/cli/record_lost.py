"""Processes of a command that can't write their trace: record names them, calls nothing complete, and leaves their standard error alone.
The socket by which they tell is open to everybody: nobody gets anything but a few plain lines in by it."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, check, compile_it, end, run  # noqa: E402
from tap import check as tell  # noqa: E402

CANNOT = 77
compile_it("gcc", "lowered.c", "lowered")
program = os.path.abspath("lowered")
os.chmod(".", 0o755)


def record(how, children, file, *options, own="of its own", before=()):
    """What record says, apart from what the program does, and the answer."""
    os.makedirs("place", exist_ok=True)
    if before:
        os.chown("place", 65534, 65534)
    with open("own", "w+", encoding="utf-8") as program_says:
        done = run(*before, HEAPTAP, "record", *options, "--all", "-o", file, "--", "sh", "-c", f'"$@" 2>&{program_says.fileno()} {program_says.fileno()}>&-', "-", program, how,
                   str(children), own, cwd="place", pass_fds=[program_says.fileno()])
        program_says.seek(0)
        said = program_says.read()
    subprocess.run(["rm", "-rf", "place"], check=True)
    return done, said


def lost(text, file):
    """The processes that are named in lines or members."""
    return set(re.findall(r"lowered \(pid (\d+)\): \S*/" + file.replace(".", r"(?:\.\1|\.\1-\d)?\.", 1).replace("..", ".") + ": [A-Z][a-z ]+; the program runs without being recorded", text))


def skipped(name):
    tell(f"{name} # SKIP nobody can be somebody else here", True)


for file in ("t.ctf", "t.pb.gz"):
    for how in ("user", "root", "folder"):
        before = ("setpriv", "--reuid", "65534", "--clear-groups") if how == "folder" and os.getuid() == 0 else ()
        name = f"{how}, {file}"
        done, said = record(how, 2, file, before=before)
        if done.returncode != 0:
            skipped(name)
            continue
        check(len(lost(done.stderr, file)) == 2, f"each process is named with the reason: {name}", done.stderr)
        check(said == "of its own\n", f"... and the program's standard error is its own, with nothing left open: {name}", said)
        check(re.search(r"; exact, but not all", done.stderr) and "; exact\n" not in done.stderr, f"... and no figure is called exact: {name}", done.stderr)
        done, said = record(how, 2, file, "--json", before=before)
        answer = json.loads(done.stdout)
        check(len(lost(answer.get("lacks", ""), file)) == 2 and answer["complete"] is False, f"... JSON: {name}", f"{answer}")
        done, said = record(how, 2, file, "--quiet", before=before)
        check(len(lost(done.stderr, file)) == 2 and said == "of its own\n", f"... --quiet: {name}", done.stderr)

done, said = record("none", 2, "t.ctf", "--json")
answer = json.loads(done.stdout)
check(answer["complete"] is True and "lacks" not in answer and done.stderr == "", "where all of them write, the answer is complete", f"{done}")

# ---- Programs that the recorder can't be loaded into ------------------------------------------------

compile_it("gcc", "lowered.c", "unloaded", "-static")
for file in ("t.ctf", "t.pb.gz"):
    done = run(HEAPTAP, "record", "--all", "--json", "-o", file, "--", "sh", "-c", f"{program} none 1 x; {os.path.abspath('unloaded')} none 1 x; exit 0")
    answer, why = json.loads(done.stdout), "unloaded is linked statically, where no library can be preloaded: it ran without being recorded"
    check(answer["complete"] is False and answer.get("lacks", "").endswith(why) and done.stderr.count(why) == 1,
          f"a child that can't be recorded is what the answer lacks: {file}", f"{answer.get('lacks')} {done.stderr}")

done, said = record("user", 40, "t.ctf")
if done.returncode != 0:
    skipped("of many")
else:
    check((len(lost(done.stderr, "t.ctf")), "30 more messages of recorded processes are not shown" in done.stderr, said) == (10, True, "of its own\n"),
          "of many, a few are named, and the others counted", done.stderr)
done, said = record("net", 2, "t.ctf")
if done.returncode != 0:
    skipped("another network")
else:
    check(len(lost(said, "t.ctf")) == 2 and said.count("heaptap: ") == 2, "in another network it is the program's standard error that says so", f"{said} {done.stderr}")

# ---- Who else writes -----------------------------------------------------------------------------

# Looks for the socket's name and key where the recorder has them, in the program's own memory, and sends what it is told to.
with open("hostile.py", "w", encoding="utf-8") as script:
    script.write(r"""
import re, socket, sys
def memory():
    with open("/proc/self/mem", "rb") as mem:
        for line in open("/proc/self/maps"):
            start, end = (int(text, 16) for text in line.split()[0].split("-"))
            if " rw" in line and "[v" not in line:
                mem.seek(start)
                yield mem.read(end - start)
found = [one for piece in memory() for one in re.findall(rb"HEAPTAP_NOTES=[0-9:]+/proc/\d+/fd/\d+@[012?]([0-9a-f]{16})([0-9a-f]{16})\0", piece)]
name, key = found[0]
def send(packet, close=True, kept=[]):
    one = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK)
    try:
        one.connect(b"\0heaptap-" + name)
        if packet is not None:
            one.send(packet)
    except OSError as error:
        return error
    finally:
        one.close() if close else kept.append(one)
exec(sys.argv[1])
""")


def attack(code):
    return run(HEAPTAP, "record", "--native", "--all", "-o", "h.ctf", "--json", "--", "sh", "-c", f'{program} none 0 "" 2>/dev/null; exec {sys.executable} hostile.py "$0"', code)


def is_sound(done):
    try:
        return done.returncode == 0 and json.loads(done.stdout)["processes"] and not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", done.stderr)
    except (ValueError, KeyError):
        return False


done = attack("assert not send(key + b'?told\\0')")
check(is_sound(done) and "heaptap record: told\n" in done.stderr, "who has the key may say something", done)
for name, code in {
        "no key": "[send(packet) for packet in (b'?FORGED\\0', b'0' * 16 + b'?FORGED\\0', key[:15] + bytes([key[15] ^ 1]) + b'?FORGED\\0', b'', b'\\0', key)]",
        "no end": "[send(key + packet) for packet in (b'?FORGED', b'?', b'', b'\\0', b'?FOR\\0GED', b'?FOR\\0GED\\0', b'xFORGED\\0', b'FORGED\\0')]",
        "too long": "[send(key + b'?' + b'FORGED' * n + b'\\0') for n in (1400, 2000, 20000)]",
        "nothing sent": "[send(None, close) for close in (True, False)]"}.items():
    done = attack(code)
    answer = json.loads(done.stdout)
    check(is_sound(done) and "FORGED" not in done.stderr + done.stdout and "lacks" not in answer, f"nothing of it is said: {name}", done)
done = attack(r"[send(key + kind + b'\x1b]0;title\x07\nheaptap record: FORGED\r\xff\xe2\x80\xae\0') for kind in (b'?', b'!', b'-', b'+')]")
check(is_sound(done) and "\nheaptap record: FORGED" not in done.stderr and "\u202e" not in done.stderr + done.stdout, "a terminal gets no control characters", done)
done = attack("[send(key + b'%c%d' % (b'?!-+'[i % 4], i) + b'x' * 4000 + b'\\0') for i in range(20000)]")
check(is_sound(done) and len(done.stderr) < 200000 and done.stderr.count("\n") < 50 and len(json.loads(done.stdout)["lacks"]) < 1100, "a flood is a few lines",
      f"{len(done.stderr)} {done.stderr[-500:]}")
done = attack("[send(b'x' * 4000, False) for i in range(900)]")
check(is_sound(done) and "lacks" not in json.loads(done.stdout), "who holds connections holds nothing up", done)
end()
