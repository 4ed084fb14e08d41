"""heaptap asked often: by a process for each question or, where targets/asked_often.c can be preloaded, by forks of one that has its
libraries already."""
import array
import os
import socket
import struct
import subprocess
import threading


class Answered:
    """What became of a command, as subprocess.run tells it."""

    def __init__(self, status, output, errors):
        self.returncode = os.waitstatus_to_exitcode(status)
        self.stdout, self.stderr = output, errors


class Asking:
    """A program, for the threads of a test."""

    def __init__(self, program, preloaded=None):
        self.program, self.preloaded = program, preloaded
        self.of_thread = threading.local()

    def run(self, arguments, folder=None, changes=None):
        """The command's status, output and errors; `changes` are of its environment."""
        changes = changes or {}
        if self.preloaded is None:
            return subprocess.run([self.program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                                  env=dict(os.environ, **changes))
        if not hasattr(self.of_thread, "socket"):
            self.of_thread.socket = self.start()
        return self.ask(self.of_thread.socket, arguments, folder or os.getcwd(), changes)

    def start(self):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            subprocess.Popen([self.program], stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], env=dict(
                os.environ, LD_PRELOAD=self.preloaded, LD_BIND_NOW="1", ASKED=str(theirs.fileno())))
        return ours

    def ask(self, asked, arguments, folder, changes):
        groups = [[folder], [f"{name}={value}" for name, value in changes.items()], [self.program, *arguments]]
        question = b"".join(b"".join(word.encode() + b"\0" for word in group) + b"\0" for group in groups)
        outputs = [os.memfd_create(name) for name in ("output", "errors")]
        try:
            asked.sendmsg([question], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", outputs))])
            [status] = struct.unpack("i", asked.recv(4))
            return Answered(status, *(os.pread(output, os.fstat(output).st_size, 0) for output in outputs))
        finally:
            for output in outputs:
                os.close(output)
