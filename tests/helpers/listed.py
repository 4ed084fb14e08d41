"""What heaptap lists of itself: its commands, their arguments and their options, for tests that go over all of them.  `run` takes the
words of a command and gives what became of it, as Asking.run does."""
import re


def commands(run):
    """Each command with the text of its help."""
    names = re.findall(r"^  (.{17})", run(["help", "all"]).stdout.decode(), re.M)
    return {name.strip(): run([*name.split(), "--help"]).stdout.decode() for name in names}


def with_filter(run):
    """Commands that take a filter, but for those that stay or run a program: their arguments, as TRACE, REGEX or BASE; and those that
    print JSON."""
    arguments, in_json = {}, set()
    for command, text in commands(run).items():
        usage = re.match(rf"Usage: heaptap {command} \[OPTION\.\.\.\] (.*?) ?\[CLAUSE\.\.\.\]", text)
        if usage and ("--json" in text or "--output" in text):
            arguments[command] = usage[1].split()
            in_json |= {command} if "--json" in text else set()
    return arguments, in_json


def options(run, command):
    """The words of its options, each with what its value is called, "" for none, and the values that it may have, if they are words."""
    rows = [line.split("\t") for line in run([*command.split(), "--complete"]).stdout.decode().splitlines()]
    return {word[2:]: (value, values.split()) for word, _, value, values, *_ in rows}
