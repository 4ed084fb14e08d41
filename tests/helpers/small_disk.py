"""A disk that gets full: a file system in memory, mounted for a test."""
import os
import subprocess


class SmallDisk:
    """`is_there` says whether it could be mounted, which only root may."""

    def __init__(self, folder, megabytes):
        self.folder = str(folder)
        os.makedirs(self.folder, exist_ok=True)
        self.is_there = self._mount(f"size={megabytes}m")

    def _mount(self, options):
        return subprocess.run(["mount", "-t", "tmpfs", "-o", options, "heaptap-test", self.folder], capture_output=True, check=False).returncode == 0

    def fill(self):
        """Leaves less than a page."""
        with open(self.folder + "/filler", "wb", buffering=0) as filler:
            for size in (1 << 20, 4096):
                try:
                    while filler.write(bytes(size)) == size:
                        pass
                except OSError:
                    pass

    def clear(self):
        os.remove(self.folder + "/filler")

    def end(self):
        if self.is_there:
            subprocess.run(["umount", "-l", self.folder], check=False)
