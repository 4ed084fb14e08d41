/* A trace made by hand for tests of the model: seven blocks with names, each of as many samples as
 * a bit has, so that the samples of a selection tell which blocks it holds.  Rate 1, words of 8
 * bytes.
 *
 *   block    a      b        c         d       e           f         g
 *   source   minor  minor    minor     major   external    minor     minor
 *   domain   0      0        0         0       1           1         0
 *   words    1      2        4         8       16          32        64
 *   born     10 ms  20       30        40      50          60        70
 *   promoted        40       50
 *   died     20     80                 60                            100
 *   stack    main   main     main      main    main        main      main
 *            map    map      helper            wrap+ext    map map   helper
 *                            iter
 *
 * main is in main.ml, map in list.ml, iter in list.ml, helper in helper.ml; wrap (stubs.c) has
 * ext_alloc (ext.c) inlined into it, in one frame of the module /opt/story/lib/libext.so.1; main's module
 * is /usr/bin/prog.  Domain 1 is the thread "worker", number 77.  The code of `iter` is also a
 * type, Node. The trace ends at 100 ms.  Most is alive from 70 ms on: b c e f g. */
#ifndef HELPERS_STORY_H
#define HELPERS_STORY_H

#include "helpers/bytes.h"

enum { A = 1, B = 2, C = 4, D = 8, E = 16, F = 32, G = 64, ALL_BLOCKS = 127 };

#define STORY_START_US INT64_C(1600000000000000)

/* Appends the trace. */
void story_write(struct bytes *bytes);

/* The same of some of its blocks: a sum of theirs above. */
void story_write_some(struct bytes *bytes, unsigned some);

#endif
