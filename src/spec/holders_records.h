/* Records of metadata about what holds a program's blocks (docs/trace-format.md, section 11): their names.  Values are fields with
 * tabs between them. */
#ifndef SPEC_HOLDERS_RECORDS_H
#define SPEC_HOLDERS_RECORDS_H

#define HOLDERS_RECORD_SNAPSHOT                                                                    \
    "snapshot" /* when (HOLDERS_AT_END), how long the program stood still, processor time of the copy */
#define HOLDERS_RECORD_ROOT "root"   /* number, kind, name, file, line, module */
#define HOLDERS_RECORD_STACK "stack" /* number, codes from the innermost frame out */
#define HOLDERS_RECORD_PATH                                                                        \
    "path" /* number, that of the way before, stack, offset, blocks, bytes, class */
#define HOLDERS_RECORD_DOMINATED "dominated" /* the same, of dominators */

#define HOLDERS_AT_END "end" /* before the program's handlers of atexit */

enum { HOLDERS_RECORD_BYTES = 12000 }; /* of codes; the rest of a stack is left out */

#endif
