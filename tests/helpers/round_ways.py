"""The ways out of heaptap that tests/cli/round.py sends recordings through: what writes files that can be read again, as the program lists
it."""
from listed import commands, options

# Options that say where the answer goes, or what else is told.
ASIDE = {"output", "json"}
# Values for options that need one; what isn't here isn't a way.
VALUES = {("file subsample", "factor"): ["1"]}
# Options of how names are written: one is enough.
ALIKE = {"names": ["raw"]}
# What is written for other tools alone.
WRITTEN_ONLY = {"callgrind", "sqlite"}
# Formats that have all kinds of values; the others have one.
OF_ALL_SAMPLES = {"dhat"}
SAMPLES = {"alloc_space", "alloc_objects", "inuse_space", "inuse_objects"}
# What is for traces alone, and for those of native programs.
OF_TRACES = {"file convert", "file subsample", "file strip", "export --format=dhat", "pprof --no-sizes", "pprof --unsymbolized",
             "pprof --with-events", "pprof --host"}
PLAIN = {"pprof --with-events", "file convert --to=2"}
OF_FILES = {"file convert", "file subsample", "file strip", "file symbolize", "pprof --with-events"}


class Way:
    """A command with options; `sample` is the only kind of value that it keeps, None where it keeps all.  What is cut goes through the plain
    ones alone."""

    def __init__(self, command, *given, sample=None):
        self.command, self.given, self.sample = command, given, sample
        self.form = "".join(given).partition("--format=")[2]
        self.name = " ".join([command, *given])
        self.is_plain = not given or self.name in PLAIN or bool(self.form) and sample in (None, "alloc_space", "inuse_space")
        self.end = ".pb.gz" if command == "pprof" else ".out"

    def words(self, path, output):
        sample = [f"--sample={self.sample}"] if self.sample else []
        return [*self.command.split(), *self.given, *sample, "-o", output, path]

    def fits(self, look):
        """Whether it is made for such a file."""
        is_among = {self.command, self.name}
        if look.is_folder and is_among & OF_FILES or not look.is_trace and is_among & OF_TRACES:
            return False
        return self.name != "pprof --unsymbolized" or bool(look.info["modules"]) and not look.is_of_guest


def of_command(run, command):
    """The command without options, and with each of its options."""
    yield Way(command)
    for option, (value, words) in options(run, command).items():
        if option not in ASIDE:
            values = VALUES.get((command, option), ALIKE.get(option, words)) if value else [None]
            yield from (Way(command, f"--{option}" if word is None else f"--{option}={word}") for word in values)


def of_all(run):
    """Ways that are the same for all files; and the formats of a single kind of value."""
    found = [way for command in commands(run) if command.startswith("file ") or command == "pprof" for way in of_command(run, command)]
    formats = [name for name in options(run, "export")["format"][1] if name not in WRITTEN_ONLY]
    return found + [Way("export", f"--format={name}") for name in formats if name in OF_ALL_SAMPLES], [
        name for name in formats if name not in OF_ALL_SAMPLES]


def of_samples(formats, look):
    """An export of each kind of value that the file has."""
    return [Way("export", f"--format={name}", sample=sample) for name in formats
            for sample in sorted(set(look.figures) & SAMPLES if look.is_trace else look.figures)]
