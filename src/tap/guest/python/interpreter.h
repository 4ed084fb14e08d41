/* The CPython that this process is: its version, the functions of its public interface that are
 * used here, and where its structures keep what no function tells without allocating.
 *
 * An allocation hook may not call what allocates, raises or runs Python code; that leaves few
 * functions.  The rest is read from memory, by a table of offsets for each minor version.  What is
 * read is checked wherever it is read for the first time (a code object has code's type, the
 * instruction lies within its code), so that an interpreter that was built otherwise is noticed and
 * not misread. */
#ifndef TAP_GUEST_PYTHON_INTERPRETER_H
#define TAP_GUEST_PYTHON_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* PyMemAllocatorEx. */
struct python_allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t count, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};

/* PyMemAllocatorDomain. */
enum python_domain { PYTHON_RAW, PYTHON_MEM, PYTHON_OBJ, PYTHON_DOMAINS };

/* Offsets of fields; the same in all builds of a minor version but debug ones with traced
 * references. */
struct python_layout {
    uint16_t thread_frame; /* of the thread state: its frame, or the C frame that knows it */
    int16_t c_frame_frame; /* of that C frame: the frame; -1 where there is none between */
    uint16_t frame_code, frame_previous, frame_instruction, frame_owner;
    uint64_t frame_by_c; /* of the word at FRAME_STACK_TOP: bits that are set in frames that C code
                            entered, generators' among them */
    uint16_t code_first_traceable, code_instructions;
    uint16_t code_stack_size, code_locals;
    uint16_t string_bytes; /* of a compact ASCII string: its first character */
    uint64_t preheader;    /* flags of types whose objects have two words before the collector's */
};

enum {
    /* The same in 3.11 to 3.13. */
    OBJECT_TYPE = 8,
    FRAME_STACK_TOP = 64, /* 4 bytes: the first free one of the frame's slots, if that is known */
    FRAME_SLOTS = 72,     /* locals, then the evaluation stack */
    OBJECT_SIZE = 16,     /* of those whose size varies: number of items */
    THREAD_INTERPRETER = 16,
    CODE_FIRST_LINE_3_11 = 72,
    CODE_SIZES = 64, /* 16 bytes with the first line and sizes */
    CODE_FILE = 112,
    CODE_FUNCTION = 128, /* with its class: co_qualname */
    CODE_LINES = 136,    /* a bytes object */
    BYTES_DATA = 32,
    TYPE_NAME = 24,
    TYPE_BASIC_SIZE = 32,
    TYPE_FLAGS = 168,
    TYPE_END = 176,
    COLLECTOR_HEAD = 16, /* bytes before an object that the collector looks after */
    PREHEADER = 16,      /* bytes before these */
    INSTRUCTION = 2,     /* bytes */
    OWNED_BY_C = 3,      /* frame_owner of frames that stand for C code, from 3.12 on */
};

#define TYPE_IS_READY ((uint64_t)1 << 12)
#define TYPE_IS_HEAP_TYPE ((uint64_t)1 << 9)
#define TYPE_HAS_COLLECTOR ((uint64_t)1 << 14)
#define TYPE_OF_TYPES ((uint64_t)1 << 31)

struct python {
    int minor; /* of 3.x */
    struct python_layout layout;
    const char *type_type, *code_type, *string_type, *bytes_type; /* the objects of these names */
    const char *main_interpreter; /* the first that was met; NULL: none yet */
    void *(*thread_state)(void);  /* of the thread that holds the lock; NULL: nobody does */
    int (*line)(const void *code, int byte_offset);
    ptrdiff_t (*string_length)(const void *string);
    uint32_t (*string_char)(const void *string, ptrdiff_t index);
    int (*is_finalizing)(void);
    void (*get_allocator)(int domain, struct python_allocator *allocator);
    void (*set_allocator)(int domain, struct python_allocator *allocator);
};

extern struct python python;

/* A function or object of the interpreter, by its name; false where it has none such. */
bool python_find_symbol(void *pointer, const char *name);

/* Finds the interpreter in this process.  False where there is none, with *why NULL, or none that
 * is known, with *why a sentence. */
bool python_find(const char **why);

static inline const char *python_pointer(const void *object, size_t offset)
{
    const char *pointer;
    memcpy(&pointer, (const char *)object + offset, sizeof pointer);
    return pointer;
}

static inline uint64_t python_word(const void *object, size_t offset)
{
    uint64_t word;
    memcpy(&word, (const char *)object + offset, sizeof word);
    return word;
}

/* From 3.12 on a subinterpreter can have a lock of its own: then it runs beside the main one, whose
 * lock is what our tables rest on.  Whether the calling thread is in such a one. */
static inline bool python_is_elsewhere(void)
{
    if (python.minor < 12)
        return false;
    const void *thread = python.thread_state();
    if (!thread)
        return false;
    const char *interpreter = python_pointer(thread, THREAD_INTERPRETER);
    if (__builtin_expect(!python.main_interpreter, 0))
        python.main_interpreter = interpreter;
    return __builtin_expect(interpreter != python.main_interpreter, 0);
}

/* The innermost frame of the thread that holds the lock; NULL: there is none. */
static inline const char *python_frame(void)
{
    const char *thread = python.thread_state();
    if (!thread)
        return NULL;
    const char *frame = python_pointer(thread, python.layout.thread_frame);
    return frame && python.layout.c_frame_frame >= 0
               ? python_pointer(frame, (size_t)python.layout.c_frame_frame)
               : frame;
}

/* The next one outside of it. */
static inline const char *python_previous(const char *frame)
{
    return python_pointer(frame, python.layout.frame_previous);
}

/* Writes a string as UTF-8 with a zero, cut to `size` bytes.  False if it is none. */
bool python_copy_string(const char *string, char *text, size_t size);

/* Whether the `size` bytes at an address can be read, whatever the address. */
bool python_readable(const void *address, size_t size);

#endif
