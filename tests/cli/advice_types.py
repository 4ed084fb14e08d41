"""The type in a cause's sentence: what `new T`, make_unique<T> and make_shared<T> make, by the debug information, from a table of lines."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
TYPES = """#include <cstdio>
#include <memory>
namespace shop {
struct Order { long number, price, count; };
class Order2 { public: explicit Order2(long n) : n_(n), rest_() {} long n() const { return n_; } private: long n_, rest_[4]; };
namespace { struct Hidden { long a[6]; }; }
}
namespace depot { struct Order { long number[9]; }; }
struct Outer { struct Inner { long a[7]; }; };
typedef shop::Order Alias;
using Wide = Outer::Inner;
template <class T> struct Pair { T a, b, c; };
static void *volatile kept;
template <class T> __attribute__((noinline)) static void made()
{
    T *made = new T(); // in a template
    kept = made;
    delete made;
}
"""
# What is made, and the type that is found for it, with its bytes; None: none may be.
LINES = [
    ("auto p = new shop::Order2(7)", "shop::Order2", 40),
    ("Alias *p = new Alias()", "Alias", 24),
    ("Wide *p = new Wide()", "Wide", 56),
    ("auto p = new Outer::Inner()", "Outer::Inner", 56),
    ("auto p = new const shop::Hidden()", "shop::Hidden", 48),
    ("auto p = new (std::nothrow) depot::Order()", "depot::Order", 72),
    ("auto p = std::make_unique<depot::Order>().release()", "depot::Order", 72),
    ("auto q = std::make_shared<shop::Order>(); void *p = nullptr; kept = q.get()", "shop::Order", 24),
    ("auto p = new depot::Order[3]", None, 216),
    ("auto p = new long(7)", None, 8),
    ("struct Local { long a[5]; }; auto p = new Local()", "Local", 40),
]


def source():
    text, marks = TYPES, []
    for i, (line, name, size) in enumerate(LINES):
        text += f"__attribute__((noinline)) static void f{i}()\n{{\n    {line}; kept = (char *)p + {i};\n"
        marks.append((text.count("\n"), line, name, size))
        text += "    ::operator delete((void *)p);\n}\n"
    text += "int main()\n{\n    for (int i = 0; i < 100; i++) {\n"
    for i, (line, _, size) in enumerate(LINES):  # of each as many bytes
        text += f"        for (int k = 0; k < {2160 // size}; k++)\n            f{i}();\n"
    text += "        for (int k = 0; k < 90; k++)\n            made<shop::Order>();\n    }\n}\n"
    marks.append((next(n for n, line in enumerate(text.splitlines(), 1) if "in a template" in line), "new T in a template", "Order", 24))
    return text, marks


def point_of(trace, line):
    points = json.loads(subprocess.run([HEAPTAP, "advice", "--json", "-n", "0", trace], stdout=subprocess.PIPE, check=True, text=True).stdout)["points"]
    return next((point for point in points if point.get("line") == line and "saved" in point), None)


folder = tempfile.mkdtemp()
os.chdir(folder)
try:
    text, marks = source()
    with open("types.cpp", "w", encoding="utf-8") as file:
        file.write(text)
    for compiler, options in (("g++", "-O2"), ("g++", "-O0"), ("g++", "-O2 -gdwarf-4"), ("clang++", "-O1"), ("g++", "-O2 -g0")):
        if not shutil.which(compiler):
            check(f"{compiler} # SKIP there is no {compiler}", True)
            continue
        subprocess.run([compiler, "-g", *options.split(), "-std=c++17", "-o", "types", "types.cpp"], check=True)
        subprocess.run([HEAPTAP, "record", "-q", "--all", "-o", "types.ctf", "--", "./types"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for line, what, name, size in marks:
            point = point_of("types.ctf", line)
            if options.endswith("-g0"):
                check(f"{compiler} {options}: {what}: no line", point is None)
                continue
            told = point and point.get("type")
            check(f"{compiler} {options}: {what}: {name}", point is not None and told == name and
                  (f"each for one {name} of {size} B" in point["evidence"]) == bool(name), point)
    # What the library of C++ keeps for exceptions has no name to change, where another has one.
    for line, is_named in (("void *volatile p = std::malloc(100000);", True), ("", False)):
        with open("plain.cpp", "w", encoding="utf-8") as file:
            file.write("#include <cstdlib>\n#include <iostream>\nint main() { " + line + " std::cout << 1; }\n")
        subprocess.run(["g++", "-g", "-o", "plain", "plain.cpp"], check=True)
        subprocess.run([HEAPTAP, "record", "-q", "--all", "-o", "plain.ctf", "--", "./plain"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        answer = subprocess.run([HEAPTAP, "diagnose", "plain.ctf"], stdout=subprocess.PIPE, check=True, text=True).stdout
        check(f"diagnose on '{line}': names before what has none", "+0x" not in answer if is_named else answer.count("\n") > 1, answer)
finally:
    shutil.rmtree(folder)
end()
