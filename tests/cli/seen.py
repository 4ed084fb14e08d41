#!/usr/bin/python3
"""No bound is below the blocks that were seen, whichever report prints it; only a peak's, whose time the samples choose, may be.
Prints TAP."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from tap import check, end  # noqa: E402

HEAPTAP, MAKE_TRACE = os.environ["HEAPTAP"], os.environ["MAKE_TRACE"]

# Domain, microsecond, block, bytes (0: it ends), samples.
LARGE = """0 10 1 100000 9
0 20 2 100000 8
0 30 3 100000 10
0 40 4 50000 5
0 50 4 0 0
0 100 5 64 1
0 110 5 0 0
"""
# One sample of a block, by which nothing is known of the others.
ONE = "0 10 1 72704 1\n"
# More samples than their blocks have bytes for on average: nothing seen is above the bounds.
SMALL = "".join("0 %d %d 100 1\n" % (i, i) for i in range(40))

# By name the rate, and what was seen, allocated and left: blocks and bytes.
SEEN = {"large": (LARGE, "1e-4", 5, 350064, 3, 300000),
        "one": (ONE, "1e-5", 1, 72704, 1, 72704),
        "small": (SMALL, "1e-4", 40, 4000, 40, 4000)}


def run(*arguments):
    done = subprocess.run([HEAPTAP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout.decode()


def document(*arguments):
    return json.loads(run(*arguments)[1])


def bounds(trace):
    """By report: its lower bounds of allocated blocks and bytes and of those left, or None."""
    info, leaks, hotspots = (document(report, "--json", trace) for report in ("info", "leaks", "hotspots"))
    timeline, types, live = (document(*report, trace) for report in (
        ("timeline", "--json"), ("types", "--json"), ("top", "--json", "--sample", "inuse_space")))
    filtered = document("info", "--json", trace, "size>=1")
    end_of, site = info["live_at_end"], leaks["sites"][0]
    yield "info", (info["allocated"]["objects_low"], info["allocated"]["bytes_low"], end_of["objects_low"], end_of["bytes_low"])
    end_of = filtered["live_at_end"]
    yield "info with a filter", (filtered["allocated"]["objects_low"], filtered["allocated"]["bytes_low"],
                                 end_of["objects_low"], end_of["bytes_low"])
    yield "leaks", (None, None, leaks["at_end"]["objects_low"], leaks["at_end"]["bytes_low"])
    yield "leaks, of a site", (None, None, site["objects_low"], site["bytes_low"])
    yield "hotspots", (hotspots["total"]["objects_low"], hotspots["total"]["bytes_low"], None, None)
    yield "timeline", (None, timeline["selected_low"], None, None)
    yield "types", (None, types["selected_low"], None, None)
    yield "top", (None, None, None, live["selected_low"])


def check_trace(name, trace, seen):
    for report, lows in bounds(trace):
        pairs = [(low, least) for low, least in zip(lows, seen) if low is not None]
        if name == "small":
            check("%s, %s: the samples' bounds are above" % (name, report), all(low > least for low, least in pairs))
        else:
            wrong = [(low, least) for low, least in pairs if low != least and (name, report, least) not in ABOVE]
            check("%s, %s: no less than was seen" % (name, report), not wrong, wrong)
        check("%s, %s: not below it" % (name, report), all(low >= least for low, least in pairs), pairs)


# Five blocks of which one is small stand for many more: the samples' own bound is higher.
ABOVE = [("large", report, 5) for report in ("info", "info with a filter", "hotspots")]


def main():
    with tempfile.TemporaryDirectory() as work:
        for name, (events, rate, *seen) in SEEN.items():
            trace = "%s/%s.ctf" % (work, name)
            with open(trace, "wb") as to:
                subprocess.run([MAKE_TRACE, "sampled", rate], input=events.encode(), stdout=to, check=True)
            check_trace(name, trace, seen)
        large, one = work + "/large.ctf", work + "/one.ctf"

        # As text.
        check("leaks says so", "264 kB (293 kB to 378 kB) in 3 (3 to 1.9 k) objects alive at the end" in run("leaks", large)[1])
        check("... with few samples",
              "98 kB (71 kB to 482 kB: too few samples to tell) in 1 (1 to 19 k) objects" in run("leaks", one)[1], run("leaks", one)[1])
        check("timeline", "264 kB (293 kB to 378 kB) at the end" in run("timeline", large)[1])
        text = run("timeline", "--sample", "objects", large)[1]
        check("... of objects", "3 (3 to 1.9 k) at the end" in text, text)

        # A budget is broken by what was seen, though the estimate is within it.
        check("check: bytes", run("check", "--max-live-at-end", "280kB", large)[0] == 1)
        check("... that were not seen", run("check", "--max-live-at-end", "300kB", large)[0] == 0)
        check("check: objects", run("check", "--max-objects", "0", one)[0] == 1)

        # What is alive at the peak depends on the samples, which choose its time.
        for word in "live-at=peak", "allocated=start..peak":
            low = json.loads(run("leaks", "--json", large, word)[1])["at_end"]
            check("%s: bounds by samples" % word, low["bytes_low"] < 200000 and low["objects_low"] < 3, low)
        peak = document("timeline", "--json", large)["series"]
        check("the peak's own", round(peak["peak_bytes_low"]) == 210146 and round(peak["peak_objects_low"], 3) == 2.492, peak)
    end()


main()
