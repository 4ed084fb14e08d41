"""The table in docs/ci.md has what the pytest plugin takes, and nothing else: options, ini values, arguments of its marker and variables."""
import os
import re
import subprocess
import sys

SOURCE = os.environ["SOURCE"]
sys.path.insert(0, SOURCE + "/tests/helpers")
from tap import check, end  # noqa: E402

ASKED = """
import sys
sys.path.insert(0, sys.argv[1])
import heaptap_pytest as plugin
class Group:
    def addoption(self, name, **more): print(name)
class Parser:
    def getgroup(self, name): return Group()
    def addini(self, name, help): print(name)
plugin.pytest_addoption(Parser())
print(*(name + "=" for name in plugin.LIMITS), sep="\\n")
"""

run = subprocess.run(["/usr/bin/python3", "-c", ASKED, SOURCE + "/bindings/python"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
if "No module named 'pytest'" in run.stderr:
    print("1..0 # SKIP there is no pytest")
    sys.exit(0)
with open(SOURCE + "/bindings/python/heaptap_pytest.py", encoding="utf-8") as file:
    variables = re.findall(r'os\.environ\.get\("(\w+)"\)', file.read())
with open(SOURCE + "/docs/ci.md", encoding="utf-8") as file:
    table = file.read().split("All that the plugin takes:\n\n")[1].split("\n\n")[0].splitlines()[2:]
documented = [name for row in table for name in re.findall(r"`([^`]+)`", row.split("|")[1])]
taken = run.stdout.split() + variables
for name in sorted(set(taken) | set(documented)):
    check(f"{name} is taken and documented once", name in taken and documented.count(name) == 1, f"taken: {taken}\ndocumented: {documented}")
end()
