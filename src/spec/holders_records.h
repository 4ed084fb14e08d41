/* Records of metadata about what holds a program's blocks (docs/trace-format.md, section 11): their names.  Values are fields with
 * tabs between them. */
#ifndef SPEC_HOLDERS_RECORDS_H
#define SPEC_HOLDERS_RECORDS_H

#define HOLDERS_RECORD_SNAPSHOT                                                                    \
    "snapshot" /* why (HOLDERS_AT_END, ...), how long the program stood still, processor time of the copy, time since the trace's start: \
                  the records that come after it, up to the next, are its */
#define HOLDERS_RECORD_ROOT "root"   /* number, kind, name, file, line, module */
#define HOLDERS_RECORD_STACK "stack" /* number, codes from the innermost frame out */
#define HOLDERS_RECORD_PATH                                                                        \
    "path" /* number, that of the way before, stack, offset, blocks, bytes, class, samples, name by which it is held, bytes of these that are left as the trace ends */
#define HOLDERS_RECORD_DOMINATED "dominated" /* the same, of dominators */

#define HOLDERS_RECORD_SHARED                                                                      \
    "shared" /* root, bytes of its blocks that other roots lead to as well, the root that leads to most of these */

#define HOLDERS_AT_END "end"           /* before the program's handlers of atexit */
#define HOLDERS_AT_SIGNAL "signal"     /* SIGUSR1 came */
#define HOLDERS_AT_SIZE "size"         /* the process had become so large */
#define HOLDERS_AT_INTERVAL "interval" /* it was time */

enum { HOLDERS_RECORD_BYTES = 12000 }; /* of codes; the rest of a stack is left out */

#endif
