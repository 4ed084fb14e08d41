"""Programs that are hard on a recorder: with it they do, print and leave what they do without, each alone and as the child of
a followed parent, in four modes."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
DEADLINE_S = 120
MODES = {"exact": ["--all", "-o", "{}.ctf"], "budget": ["-o", "{}.ctf"], "sampled": ["--rate", "1e-3", "-o", "{}.ctf"], "profile": ["-o", "{}.pb.gz"]}
HOSTS = ["cancel", "cancel_cleanup", "toggled", "handler_in_fork", "handler_in_exec", "handler_in_exit", "handler_in_abort", "malloc_small", "fork_small", "spawn_small",
         "alternate_stack", "closed_and_reused", "replaced", "file_limit", "descriptor_limit", "jail", "generations",
         "address_space", "data_limit", "own_limit", "most_of_it", "no_counter"]
OPTIONS = {"toggled": ["--toggle"]}
MORE_MODES = {"exact profile": ["--all", "-o", "{}.pb.gz"], "intervals": ["--all", "--every", "1s", "-o", "{}"]}  # of these:
IN_MORE = {"cancel", "cancel_cleanup", "toggled"}
LIMITS = {"address_space": "ulimit -v 60000; ", "data_limit": "ulimit -d 3000; ", "most_of_it": "ulimit -v 2000000; "}  # of the shell that starts it
ALONE = {"address_space", "data_limit", "most_of_it"}  # in a shell that stays, the limit is the shell's, too

folder = tempfile.mkdtemp()
program = folder + "/hostile"
subprocess.run(["gcc", "-O1", "-g", "-fno-builtin", "-pthread", "-w", "-o", program,
                os.environ["SOURCE"] + "/tests/targets/hostile.c"], check=True)


def files_of(place):
    """What lies there, but for the recorder's own."""
    return {name: open(place + "/" + name, "rb").read() for name in sorted(os.listdir(place))
            if os.path.isfile(place + "/" + name) and ".ctf" not in name and ".pb.gz" not in name}


def run(command, own_pipes):
    """Status, output and files of a command in an empty folder; what it says on standard error is not compared."""
    place = tempfile.mkdtemp(dir=folder)
    try:
        done = subprocess.run(command, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=DEADLINE_S, check=False)
        status = done.returncode if done.returncode >= 0 or own_pipes else 128 - done.returncode
        return status, done.stdout, files_of(place), done.stderr[-600:]
    except subprocess.TimeoutExpired:
        return "not ended in time", b"", {}, b""
    finally:
        shutil.rmtree(place, ignore_errors=True)


def shell(host, as_child):
    command = f"{LIMITS.get(host, '')}{'' if as_child else 'exec '}{program} {host}"
    return ["sh", "-c", command + ("; exit $?" if as_child else "")]


for host in HOSTS:
    plain = run(shell(host, False), False)
    for mode, options in (MODES | MORE_MODES if host in IN_MORE else MODES).items():
        for as_child in (False, True):
            if as_child and host in ALONE:
                continue
            output = [option.format("out.%p") for option in options] + OPTIONS.get(host, [])
            recorded = run([HEAPTAP, "record", "--no-symbols", "--follow", *output, "--", *shell(host, as_child)], False)
            check(f"{host}, {mode}, {'as a child' if as_child else 'alone'}", recorded[:3] == plain[:3],
                  f"{plain[:2]} without, {recorded[:2]} with; files {[n for n in plain[2] if recorded[2].get(n) != plain[2][n]]}"
                  f" differ\n{recorded[3].decode(errors='replace')}")
shutil.rmtree(folder, ignore_errors=True)
end()
