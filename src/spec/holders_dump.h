/* The file of a heap's snapshot, which heaptap sums up: the blocks that were alive, which of them hold the address
 * of which, and which words outside of blocks do.
 *
 * After the magic stand parts, each begun by its letter, in this order.  Numbers are unsigned, 7 bits a byte from the lowest on,
 * bit 7 for "goes on"; those marked "signed" are zigzag (0, -1, 1, -2, ...).
 *
 *   S  the snapshot: its cause (enum holders_cause), microseconds since the trace's start, and 1 where it is of an interpreter's objects
 *      (below), else 0
 *   M  /proc/self/maps: its size, its text
 *   T  threads: how many; of each the kernel's number, the thread pointer (0: unknown), 16 bytes for the name,
 *      and its frames, the innermost first: 1, the address of the word of its stack with the return address, and that; 0 ends them
 *   B  blocks by address: how many; of each the address less that of the one before, the size in bytes, 0 where the trace doesn't have
 *      it, else 1 and its id there less that of the last one that has one (signed, to which the 1 is added), and the first word where
 *      that points into read-only memory of a module, else 0
 *   E  edges: for each block, in order, words of it that point at or into another block: how many words the place lies behind
 *      the last one, plus 1, and the other block's number less this one's (signed); 0 ends the block
 *   R  roots: segments of memory, each with its kind (enum holders_segment), its thread's place in T plus 1 (0: none), its first
 *      address, and its words that point at or into a block: how many words behind the last one, plus 1, and the block's number;
 *      0 ends the segment.  A kind of 0 ends the part
 *   Z  the end: microseconds that the program stood still, and of the child's processor time
 *
 * Of objects, T has none and M is empty.  B has them in any order: addresses may fall, and wrap; the first word is the address of the
 * object's type, 0 for a block that is none.  E has for each object its edges: 1 and the number of what the edge is called (0: nothing),
 * and the other object's number; 0 ends the object.  R has roots: each its kind (enum holders_object_root), the numbers of the names of a
 * module or function, of its variable and of a file (0: none), a line, and the number of an object; a kind of 0 ends the part.  Before Z stands
 *   N  names: how many; of each its kind (enum holders_name), its size and its text, the first being number 1; then types: how many; of
 *      each its address, the size of its name, and that
 *
 * A file without its end is of a snapshot that was cut short. */
#ifndef SPEC_HOLDERS_DUMP_H
#define SPEC_HOLDERS_DUMP_H

#define HOLDERS_DUMP_MAGIC "heaptap holders 6\n"

/* Behind the name of the trace that it belongs to: of the snapshot at the program's end.  Those before have it with a dot and their
 * number behind it, from 1 on. */
#define HOLDERS_DUMP_SUFFIX ".holders"

enum {
    HOLDERS_DUMP_SNAPSHOT = 'S',
    HOLDERS_DUMP_MAPS = 'M',
    HOLDERS_DUMP_THREADS = 'T',
    HOLDERS_DUMP_BLOCKS = 'B',
    HOLDERS_DUMP_EDGES = 'E',
    HOLDERS_DUMP_ROOTS = 'R',
    HOLDERS_DUMP_NAMES = 'N',
    HOLDERS_DUMP_END = 'Z',
    HOLDERS_DUMP_NAME_BYTES = 16, /* of a thread */
    HOLDERS_DUMP_WORD = 8,        /* bytes; words are looked at where they are aligned */
};

enum holders_name {
    HOLDERS_NAME_PLAIN,     /* of a module or variable */
    HOLDERS_NAME_ATTRIBUTE, /* of an object */
    HOLDERS_NAME_KEY,       /* of a dictionary */
    HOLDERS_NAME_UPVALUE,   /* of a function */
    HOLDERS_NAME_LOCAL,     /* of a function that a coroutine has under way */
};

/* Of objects. */
enum holders_object_root {
    HOLDERS_ROOT_NONE,
    HOLDERS_ROOT_VARIABLE,    /* of a module, or without one */
    HOLDERS_ROOT_REGISTRY,    /* what C code keeps under a name, in Lua */
    HOLDERS_ROOT_LOCAL,       /* of a function that is under way, with the line that declares it */
    HOLDERS_ROOT_INTERPRETER, /* none of these leads to it */
    HOLDERS_ROOT_GARBAGE,     /* nothing leads to it, and the collector has not freed it yet */
};

enum holders_cause {
    HOLDERS_CAUSE_END,      /* of the program */
    HOLDERS_CAUSE_SIGNAL,   /* SIGUSR1 came */
    HOLDERS_CAUSE_SIZE,     /* the process had become so large */
    HOLDERS_CAUSE_INTERVAL, /* it was time */
};

enum holders_segment {
    HOLDERS_SEGMENT_NONE,
    HOLDERS_SEGMENT_MEMORY, /* of modules and other mappings */
    HOLDERS_SEGMENT_STACK, /* of a thread, from its stack pointer up; its thread-local data may lie at the end */
    HOLDERS_SEGMENT_LOCAL, /* the mapping that has the thread-local data of a thread whose stack lies elsewhere */
};

#endif
