#!/usr/bin/env python3
"""What zsh makes of a line when Tab is pressed at its end.

    complete_in_zsh.py FOLDER LINE...

FOLDER has the completion, as _heaptap; heaptap is in $PATH.  Prints each line as it is then."""

import os
import pty
import re
import select
import signal
import sys
import time

folder, lines = sys.argv[1], sys.argv[2:]
SETUP = f"""PROMPT= RPROMPT= fpath=({folder} $fpath); autoload -U compinit; compinit -u -D; setopt no_beep no_list_ambiguous
zstyle ':completion:*' list-prompt ''; zstyle ':completion:*' menu no; LISTMAX=1000
show() {{ zle -I; print -r -- "LINE<$BUFFER>"; BUFFER= }}; zle -N show; bindkey '^X^X' show; bindkey '^I' complete-word; print RE""ADY
"""


def read_until(pattern, descriptor):
    text, end = b"", time.time() + 60
    while not re.search(pattern, text) and time.time() < end:
        if select.select([descriptor], [], [], 1)[0]:
            text += os.read(descriptor, 65536)
    return text


pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(TERM="dumb", COLUMNS="200", ZDOTDIR="/nonexistent")
    os.execvp("zsh", ["zsh", "-f", "-i"])
os.write(terminal, SETUP.encode())
read_until(rb"READY", terminal)
for line in lines:
    os.write(terminal, line.encode() + b"\t\x18\x18")
    found = re.search(rb"LINE<(.*?)>", read_until(rb"LINE<.*?>", terminal))
    print(found[1].decode().rstrip() if found else "nothing")
os.write(terminal, b"exit\n")
signal.signal(signal.SIGALRM, lambda *_: os.killpg(pid, signal.SIGKILL))
signal.alarm(30)  # it may still be waiting for what completes
try:
    while os.read(terminal, 65536):  # to its end: what it has started ends before it
        pass
except OSError:
    pass
os.waitpid(pid, 0)
