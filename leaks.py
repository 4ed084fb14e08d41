import json, subprocess, sys
heaptap, original, stripped = sys.argv[1:4]
def run(*arguments):
    return subprocess.run([heaptap, *arguments], stdout=subprocess.PIPE, check=True).stdout.decode()
data = open(stripped, "rb").read()
trace = json.loads(run("info", "--json", original))["trace"]
texts = {trace["executable"], trace["host"], trace["context"]}
numbers = {trace["start_us"], trace["pid"]}
for line in run("dump", "--format", "jsonl", original).splitlines():
    for frame in json.loads(line).get("stack", []):
        texts |= {frame.get("file"), frame.get("function")}
        if "code" in frame:
            numbers.add(int(frame["code"], 16))
texts = {text for text in texts if text and len(text) > 3}
found = [text for text in texts if text.encode() in data]
found += [hex(number) for number in numbers if number > 1 << 24 and
          number.to_bytes(8, "little").rstrip(b"\0")[-6:] in data]
if trace["pid"] and trace["pid"].to_bytes(8, "little") in data:
    found.append("pid")
print("# looked for %d names and %d numbers" % (len(texts), len(numbers)))
for leak in found:
    print("# found:", leak)
sys.exit(len(found) > 0 or len(texts) < 3)
