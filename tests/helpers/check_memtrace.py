#!/usr/bin/env python3
"""Checks that memtrace's own reader and tools take a trace, as far as its source says what they demand:

- a promotion is of an id below the next one of its packet (its reader);
- a block's promotion and its end stand behind its allocation in the file (identify, flamegraph);
- an allocation has a frame at least (hotspots);
- times of a domain only grow (its reader).

    check_memtrace.py TRACE [DOMAINS]

prints what is against it, with status 1.  DOMAINS: so many have to be in the trace at least, and one must have
promoted what another allocated: else the check says little.
"""
import sys

from decode_trace import ALLOCATION, PROMOTION, Trace


def faults_in(trace, births, moved):
    latest = {}
    for packet in trace._packets():
        next_id = packet.first_id
        for event in trace._packet_events(packet):
            if event.time < latest.get(packet.domain, event.time):
                yield f"domain {packet.domain} goes back to {event.time} us"
            latest[packet.domain] = event.time
            if event.kind == ALLOCATION:
                next_id += 1
                births[event.id] = packet.domain
                if not event.codes:
                    yield f"block {event.id} has no stack"
                continue
            if event.kind == PROMOTION and event.id >= next_id:
                yield f"block {event.id} is promoted where the next id is {next_id}"
            if event.id not in births:
                yield f"block {event.id} has an event before its allocation"
            elif event.kind == PROMOTION and births[event.id] != packet.domain:
                moved.add(event.id)


def main():
    births, moved = {}, set()
    with open(sys.argv[1], "rb") as file:
        trace = Trace(file.read())
    faults = list(faults_in(trace, births, moved))
    if len(sys.argv) > 2:
        if len(set(births.values())) < int(sys.argv[2]):
            faults.append(f"{len(set(births.values()))} domains only")
        if not moved:
            faults.append("no domain promoted a block of another")
    print("\n".join(faults[:10]) or "good")
    sys.exit(bool(faults))


main()
