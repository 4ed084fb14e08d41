"""A program in a terminal of some size: what stands on its screen, as text.  As much of an xterm as ncurses asks of one."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

SEQUENCE = re.compile(r"\x1b\[([?>=]?)([0-9;]*)([@-~])|\x1b[()][0-9A-Z]|\x1b[=>78cDEMHNO]|\x1b\][^\x07]*\x07")
PARTIAL = re.compile(r"\x1b(\[[?>=]?[0-9;]*|[()]|\][^\x07]*)?$")


class Screen:
    def __init__(self, rows, columns):
        self.modes = set()      # private ones that are on: 1049 is the other screen, 25 the cursor
        self.bold = self.reverse = False
        self.rest = ""
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.bars = [[False] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.first, self.last = 0, rows - 1

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    def text(self):
        return "\n".join(self.lines()).rstrip("\n") + "\n"

    def barred(self):
        """The lines that stand in reverse."""
        return [line for line, bars in zip(self.lines(), self.bars) if bars[0]]

    def feed(self, text):
        text = self.rest + text
        partial = PARTIAL.search(text)
        self.rest = text[partial.start():] if partial else ""
        text = text[:partial.start()] if partial else text
        at = 0
        while at < len(text):
            found = SEQUENCE.match(text, at) if text[at] == "\x1b" else None
            if found:
                at = found.end()
                self.obey(found)
            else:
                self.put(text[at])
                at += 1

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row == self.last and self.scroll(1)
            self.row = min(self.row + 1, self.last)
        elif character == "\b":
            self.column = max(self.column - 1, 0)
        elif character == "\t":
            self.column = min((self.column // 8 + 1) * 8, self.columns - 1)
        elif character >= " ":
            if self.column >= self.columns:
                self.put("\r"), self.put("\n")
            self.cells[self.row][self.column], self.bars[self.row][self.column] = character, self.reverse
            self.last_put = character
            self.column += 1

    def scroll(self, by, first=None):
        first = self.first if first is None else first
        for _ in range(abs(by)):
            for grid, empty in ((self.cells, " "), (self.bars, False)):
                gone, new = (first, self.last) if by > 0 else (self.last, first)
                del grid[gone]
                grid.insert(new, [empty] * self.columns)

    def clear(self, row, start, end):
        self.cells[row][start:end] = [" "] * (end - start)
        self.bars[row][start:end] = [False] * (end - start)

    def obey(self, found):
        private, numbers, word = found.group(1), found.group(2), found.group(3)
        if word is None:
            if found.group() == "\x1bM":
                self.row == self.first and self.scroll(-1)
                self.row = max(self.row - 1, self.first)
            return
        values = [int(number or 0) for number in numbers.split(";")]
        count = max(values[0], 1)
        if private:
            for value in values if private == "?" else []:
                (self.modes.add if word == "h" else self.modes.discard)(value)
        elif word in "Hf":
            self.row, self.column = min(count, self.rows) - 1, min((values + [1])[1] or 1, self.columns) - 1
        elif word in "ABCDGdE":
            row = {"A": self.row - count, "B": self.row + count, "d": count - 1}.get(word, self.row)
            column = {"C": self.column + count, "D": self.column - count, "G": count - 1}.get(word, self.column)
            self.row, self.column = min(max(row, 0), self.rows - 1), min(max(column, 0), self.columns - 1)
        elif word == "K":
            self.clear(self.row, 0 if values[0] else self.column, self.column + 1 if values[0] == 1 else self.columns)
        elif word == "J":
            values[0] == 0 and self.clear(self.row, self.column, self.columns)
            for row in range(0 if values[0] else self.row + 1, self.rows):
                self.clear(row, 0, self.columns)
        elif word == "X":
            self.clear(self.row, self.column, min(self.column + count, self.columns))
        elif word == "b":
            for _ in range(count):
                self.put(self.last_put)
        elif word in "P@":
            for grid, empty in ((self.cells, " "), (self.bars, False)):
                line = grid[self.row]
                for _ in range(min(count, self.columns)):
                    line.insert(self.columns if word == "P" else self.column, empty)
                    del line[self.column if word == "P" else self.columns]
        elif word in "LM":
            self.scroll(count if word == "M" else -count, self.row)
        elif word in "ST":
            self.scroll(count if word == "S" else -count)
        elif word == "r":
            self.first, self.last = count - 1, ((values + [0])[1] or self.rows) - 1
            self.row = self.column = 0
        elif word == "m":
            for value in values:
                self.reverse = value == 7 or (self.reverse and value not in (0, 27))


class Terminal:
    """`words` run in it, as the foreground of a session whose first process waits for them."""

    def __init__(self, words, rows=24, columns=80, environment=None):
        self.screen = Screen(rows, columns)
        answers, told = os.pipe()
        self.leader, self.fd = pty.fork()
        if self.leader == 0:
            self.lead(words, rows, columns, told, environment or {})
        os.close(told)
        self.answers = os.fdopen(answers)
        self.before = termios.tcgetattr(self.fd)
        self.pid = int(self.answers.readline())  # from now on it may change that
        self.status = None

    @staticmethod
    def lead(words, rows, columns, told, environment):
        """Starts the program in a group of its own, which can be stopped, and tells its number, and each of its states."""
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        go, gone = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(gone)
            os.setpgid(0, 0)
            os.read(go, 1)
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            os.environ.update({"TERM": "xterm", "LC_ALL": "C.UTF-8", **environment})
            os.execvp(words[0], words)
        try:
            os.setpgid(pid, pid)
        except OSError:
            pass
        os.tcsetpgrp(0, pid)
        os.write(told, b"%d\n" % pid)
        os.close(go), os.close(gone)
        while True:
            _, status = os.waitpid(pid, os.WUNTRACED)
            os.write(told, b"%d\n" % status)
            if not os.WIFSTOPPED(status):
                time.sleep(0.5)     # what it has written can still be read
                os._exit(0)

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.screen.feed(data.decode(errors="replace"))
        return bool(data)

    def wait(self, holds, seconds=20):
        """Until holds(screen) is so, and nothing more comes.  Whether it is."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not self.read(0.1) and holds(self.screen):
                return True
        return holds(self.screen)

    def sees(self, text, seconds=20):
        return self.wait(lambda screen: text in screen.text(), seconds)

    def type(self, text):
        os.write(self.fd, text.encode())

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def signal(self, number):
        os.kill(self.pid, number)

    def state(self):
        """The next state of the program, as os.waitpid has it."""
        while self.read(0.1):
            pass
        status = int(self.answers.readline())
        while self.read(0.1):
            pass
        return status

    def is_restored(self):
        return (not self.screen.modes & {1049, 1, 1000}) and termios.tcgetattr(self.fd) == self.before

    def end(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
        except OSError:
            pass
        os.close(self.fd)
        os.waitpid(self.leader, 0)
