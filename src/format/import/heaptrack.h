/* heaptrack's recordings, as they are saved (interpreted: with names) or raw (`heaptrack --raw`),
 * turned into a trace, so that every command and report reads them.
 *
 * A line each:
 *
 *     v 10400 3            versions of heaptrack (hexadecimal) and of the file's format: 0 to 3
 *     X ./prog --all       the command
 *     s 5 _main            a string, numbered from 1; its length stands there from format 3 on
 *     i 4005d0 2 7 8 1f    an address: module, then function, file and line, the innermost inlined
 *                          function first
 *     t 5 3                a stack: address 5, called by stack 3 (0: none)
 *     a 64 5               a kind of block: its bytes and stack, numbered from 0
 *     + 0    - 0           such a block was allocated; one was freed
 *     S leak:fontconfig    what its reports of leaks leave out
 *     c 1f                 milliseconds since the start; then what happened until then follows
 *
 * Numbers are hexadecimal, except the version of the format.  In raw files modules are mapped (m),
 * a stack begins with an address itself, and blocks are told by their address: + SIZE STACK
 * ADDRESS, - ADDRESS.
 *
 * What is exact: every block, its size, its stack, what is alive at each time.  Times have the
 * steps in which heaptrack notes them (10 ms).  Saved files don't tell which of several equal
 * blocks of a stack is freed: the youngest is taken, which is right for blocks that are freed at
 * once.  Raw files tell.
 *
 * As heaptrack does, `operator new` is left out at the end of stacks. */
#ifndef FORMAT_IMPORT_HEAPTRACK_H
#define FORMAT_IMPORT_HEAPTRACK_H

#include "format/import/file_format.h"

/* Writes the trace to `sink`, of which a failure is HEAPTAP_SYSTEM.  On HEAPTAP_BAD_INPUT the trace
 * has what stands before the damage; when nothing could be made of the file's beginning, nothing is
 * written (`outcome->allocations` is 0 then).  `input` stays the caller's. */
enum heaptap_status heaptrack_convert(struct input *input, const struct heaptap_sink *sink,
                                      struct file_conversion *outcome,
                                      struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Do these bytes, decompressed, look like the beginning of such a file? */
bool heaptrack_looks_like_one(const uint8_t *bytes, size_t size);

#endif
