/* Turning code addresses of a traced process into functions, files and lines, after the fact.
 *
 * The caller says which modules were mapped, as the trace recorded them, and then asks for all
 * addresses in one call: each file is opened once, read for all of its addresses, and closed before
 * the next one.  Of several processes it asks in turn, with symbolizer_forget_modules between them:
 * what was found in a file for one is not looked up again for the next, so that a file is opened
 * for new places alone.
 *
 * What is used, in this order: DWARF in the file itself; in a separate file found by build id
 * (DIR/.build-id/xx/yyyy.debug) or by .gnu_debuglink with a matching CRC, with its
 * .gnu_debugaltlink (DIR is one of the options' or the system's: /usr/lib/debug, or what
 * HEAPTAP_DEBUG_DIR names), its sections plain or compressed by zlib or zstd; split DWARF in .dwo
 * files where the compiler left them; the symbol tables (.symtab, .dynsym, .gnu_debugdata). Where
 * DEBUGINFOD_URLS is set, libdw may ask those servers for separate files.
 *
 * A file whose build id is not the recorded one is never used, nor, where that is asked for
 * (symbolizer_check_files), one without a build id that has changed since it was mapped.  Whatever
 * could not be used is told in the notes.  Damaged and missing files are notes too, not failures.
 *
 * Not thread-safe; several symbolizers may be used side by side. */
#ifndef SYMBOL_SYMBOLIZER_H
#define SYMBOL_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heaptap/trace.h"
#include "symbol/demangle.h"

struct symbolizer;

/* A zeroed struct is the default. */
struct symbolizer_options {
    enum symbol_names names; /* how C++ and Rust functions are spelt */
    const char *const
        *debug_dirs; /* searched before the system's for separate debug files; no ':' in them */
    size_t debug_dir_count;
    bool drop_columns; /* leave start_char and end_char 0, so that a line is one location */
};

/* `options` may be NULL and is copied.  A directory that does not exist is HEAPTAP_SYSTEM. */
enum heaptap_status symbolizer_new(struct symbolizer **symbolizer,
                                   const struct symbolizer_options *options,
                                   struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Accepts NULL. */
void symbolizer_free(struct symbolizer *symbolizer);

/* Adds a mapped module: a record of kind HEAPTAP_MODULE, copied.  It may be the whole of a file
 * (file_offset 0, the span of all its segments) or the mapping of one segment. */
enum heaptap_status symbolizer_add_module(struct symbolizer *symbolizer,
                                          const struct heaptap_metadata *module,
                                          struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Adds a file by itself: every address asked that is in no module is taken for an ELF virtual
 * address in the file, as addr2line takes it.  HEAPTAP_BAD_STATE when there is such a file already.
 */
enum heaptap_status symbolizer_add_file(struct symbolizer *symbolizer, const char *path,
                                        struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Of the modules that are added from here on, the times of which are since `start_us` of the epoch, files without a build id are
 * not used where their status (ctime) has changed since they were mapped: they were written, put there or linked, and who
 * knows whether they are still the same.  For files of this machine: those of a copy on another one are all newer. */
void symbolizer_check_files(struct symbolizer *symbolizer, int64_t start_us);

/* The modules that were added, and the lone file, are those of a process that is done with, and files are checked no longer.
 * What was found stays: answers that were given, and what is known of each place in a file. */
void symbolizer_forget_modules(struct symbolizer *symbolizer);

struct symbol_query {
    uint64_t
        code; /* the instruction looked up, as a code (base/code.h): for a return address, the caller
                         subtracts 1 */
    int64_t time_us; /* since the start of the trace: modules come and go */
};

/* `count` is 0 for an address in no module; otherwise at least 1.  Outermost caller first, the
 * innermost inlined function last.  Where nothing is known of the code the one location is: file =
 * path of the module, function = "name+0x", the path's last part and an ELF virtual address in
 * hexadecimal, line 0: that of the function's first byte, where the file's unwind tables know it,
 * so that a function is one thing in all reports even without its name; that of the code otherwise.
 * (The file unreadable: the address less the module's start plus its file offset, which is the same
 * number as the code's for nearly every library and PIE.) Where only symbol tables are there: file
 * = path of the module, function = the symbol, line 0.
 *
 * Files are absolute paths where the compiler told its directory, without `.` and `..`.
 *
 * Columns: start_char = end_char = characters before the place in its line, 0 where unknown.  A
 * column that the trace cannot hold (over 255) is left out.
 *
 * Locations and strings are borrowed until the symbolizer is freed.  Equal strings are the same
 * pointer, and equal places in code share their locations. */
struct symbol_answer {
    const struct heaptap_location *locations;
    size_t count;
};

/* Answers `count` queries.  An address that was in no module at its time is given to the module
 * that was there nearest in time: recorders notice modules a little late. Fails with
 * HEAPTAP_NO_MEMORY only; the answers are then all empty. */
enum heaptap_status symbolizer_resolve(struct symbolizer *symbolizer,
                                       const struct symbol_query *queries, size_t count,
                                       struct symbol_answer *answers,
                                       struct heaptap_error *error) HEAPTAP_MUST_CHECK;

enum symbol_note_kind {
    SYMBOL_MISSING,          /* the file could not be opened */
    SYMBOL_UNREADABLE,       /* it is no ELF program or library, or is damaged */
    SYMBOL_BUILD_ID_DIFFERS, /* another build than the one recorded: not used */
    SYMBOL_CHANGED,          /* it has no build id, and is newer than its mapping: not used */
    SYMBOL_NOT_LOCATED,      /* no segment explains the recorded address */
    SYMBOL_TABLE_ONLY,       /* no debug information: function names, no lines */
    SYMBOL_STRIPPED,         /* nor symbols for the addresses asked */
    SYMBOL_SPLIT_MISSING,    /* .dwo files that it names were not found */
    SYMBOL_SHARED_MISSING,   /* the file of .gnu_debugaltlink was not found */
    SYMBOL_DEBUG_DAMAGED,    /* debug information that cannot be decoded to its end */
};

/* One thing that kept a module from full answers.  Each kind once a module. */
struct symbol_note {
    enum symbol_note_kind kind;
    const char *module; /* path */
    const char *text;   /* one sentence without the path, a full stop or a newline */
};

/* What has been met so far, in the order of the modules.  Borrowed until the next call of
 * symbolizer_resolve. */
const struct symbol_note *symbolizer_notes(const struct symbolizer *symbolizer, size_t *count);

#endif
