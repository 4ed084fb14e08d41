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
 *     R 3db                resident memory; and before all others  I 1000 5e27ec  the machine's pages
 *     # strings: 5         last of all, in saved files
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
 * As heaptrack does, `operator new` is left out at the end of stacks.
 *
 * A saved file without its last lines is cut, if it is heaptrack's own.  Other programs (bytehound's export) write neither those lines nor
 * any of pages.  Raw files end where they end, but at a line's end.
 *
 * A trace begins with what is known of the program, so its writer is made when the first line comes
 * that needs it; by then heaptrack has told all that it tells of that. */
#include "format/import/file_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "format/import/heaptrack_parts.h"
#include "profile/suppression.h"

/* ---- The trace ------------------------------------------------------------------------ */

static enum heaptap_status open_writer(struct heaptrack_converting *converting)
{
    struct heaptap_trace_info info = {
        .version = 3,
        .sample_rate = 1,
        .word_bits = 8,
        .executable = converting->program ? converting->program : "",
        .host = "",
        .runtime_params = "",
        .context = converting->command ? converting->command : "",
    };
    struct heaptap_writer_options options = {
        .sink = *converting->sink,
        .describe = heaptrack_describe,
        .describe_context = &converting->names,
        .any_process = true,
    };
    struct heaptap_metadata producer = {
        .kind = HEAPTAP_PROPERTY, .name = "producer", .value = converting->version};
    enum heaptap_status status =
        heaptap_writer_new(&converting->writer, &info, &options, converting->error);
    if (status == HEAPTAP_OK)
        status = heaptap_domain_new(&converting->domain, converting->writer, 0, converting->error);
    if (status == HEAPTAP_OK)
        heaptap_domain_metadata(converting->domain, &producer, 1);
    return status;
}

/* NULL where it isn't. */
static const char *why_cut(const struct heaptrack_converting *converting)
{
    bool has_lost_lines =
        converting->has_pages && !converting->has_last_lines && !converting->outcome->is_raw;
    return has_lost_lines ? "the file is cut: it lacks the last lines that heaptrack writes"
           : converting->lines.is_cut ? "the file is cut: its last line has no end"
                                      : NULL;
}

static void tell_cut(struct heaptrack_converting *converting, const char *why)
{
    const struct heaptap_metadata stop = {
        .kind = HEAPTAP_STOPPED, .name = why, .number = (uint64_t)converting->now_us};
    heaptap_domain_metadata(converting->domain, &stop, 1);
}

static enum heaptap_status close_writer(struct heaptrack_converting *converting)
{
    const char *cut = why_cut(converting);
    if (converting->domain && cut)
        tell_cut(converting, cut);
    if (converting->domain && converting->module_count > 0)
        heaptap_domain_metadata(converting->domain, converting->modules, converting->module_count);
    if (converting->domain && converting->suppression_count > 0)
        heaptap_domain_metadata(converting->domain, converting->suppressions,
                                converting->suppression_count);
    heaptap_domain_free(converting->domain);
    int code = converting->writer ? heaptap_writer_errno(converting->writer) : 0;
    heaptap_writer_free(converting->writer);
    converting->domain = NULL;
    converting->writer = NULL;
    if (!code)
        return HEAPTAP_OK;
    error_set(converting->error, HEAPTAP_SYSTEM, "writing the trace: %s", strerror(code));
    if (converting->error)
        converting->error->system_errno = code;
    return HEAPTAP_SYSTEM;
}

/* ---- Strings -------------------------------------------------------------------------- */

/* A string, with its length before it in new files: then it may hold line ends.  `*at` goes behind
 * it. */
static enum heaptap_status take_string(struct heaptrack_converting *converting, char **at,
                                       size_t size, char **text, size_t *text_size)
{
    uint64_t length;
    char *line = *at;
    if (converting->format < FORMAT_SIZED) {
        line += *line == ' ';
        *text = line;
        *text_size = size - (size_t)(line - *at);
        *at += size;
        return HEAPTAP_OK;
    }
    if (!lines_hex(&line, &length) || *line != ' ')
        return lines_error(&converting->lines, converting->error,
                           "expected the length of a string");
    size_t before = (size_t)(line + 1 - *at);
    if (length > LINES_LONGEST)
        return lines_error(&converting->lines, converting->error, "a string of %" PRIu64 " bytes",
                           length);
    /* The line begins a character before *at: its letter. */
    char *whole = *at - 1;
    size_t whole_size = size + 1;
    enum heaptap_status status = lines_extend(&converting->lines, &whole, &whole_size,
                                              before + 1 + length, converting->error);
    if (status == HEAPTAP_OK && whole_size < before + 1 + length)
        return lines_error(&converting->lines, converting->error,
                           "a string of %" PRIu64 " bytes is cut off by the file's end", length);
    *text = whole + 1 + before;
    *text_size = length;
    *at = *text + length;
    return status;
}

static enum heaptap_status take_name(struct heaptrack_converting *converting, char *at, size_t size)
{
    char *text;
    size_t text_size;
    enum heaptap_status status = take_string(converting, &at, size, &text, &text_size);
    if (status != HEAPTAP_OK)
        return status;
    return heaptrack_add_string(&converting->names, text, text_size)
               ? HEAPTAP_OK
               : heaptrack_no_memory(converting);
}

static enum heaptap_status keep_text(struct heaptrack_converting *converting, const char *text,
                                     size_t size, const char **to)
{
    *to = names_intern(&converting->names.texts, text, strnlen(text, size));
    return *to ? HEAPTAP_OK : heaptrack_no_memory(converting);
}

/* ---- Modules of a raw file ------------------------------------------------------------- */

/* The memory from the first of its parts to the last. */
static void take_parts(char *at, uint64_t base, struct heaptap_metadata *module)
{
    uint64_t first = UINT64_MAX, end = 0, address, size;
    while (lines_hex(&at, &address) && lines_hex(&at, &size)) {
        first = address < first ? address : first;
        end = address + size > end ? address + size : end;
    }
    if (first > end)
        return;
    first &= ~UINT64_C(0xfff);
    module->address = base + first;
    module->size_bytes = end - first;
}

static enum heaptap_status take_module(struct heaptrack_converting *converting, char *at,
                                       size_t size)
{
    struct heaptap_metadata module = {
        .kind = HEAPTAP_MODULE, .loaded_us = converting->now_us, .unloaded_us = -1};
    char *text;
    size_t text_size = 0;
    uint64_t base;
    enum heaptap_status status = HEAPTAP_OK;
    if (converting->format >= FORMAT_SIZED) {
        status = take_string(converting, &at, size, &text, &text_size);
    } else {
        text = at + strspn(at, " ");
        text_size = strcspn(text, " ");
        at = text + text_size;
    }
    if (status != HEAPTAP_OK)
        return status;
    if (text_size == 1 && *text == '-') { /* all are told anew */
        for (size_t i = 0; i < converting->module_count; i++)
            if (converting->modules[i].unloaded_us < 0)
                converting->modules[i].unloaded_us = converting->now_us;
        return HEAPTAP_OK;
    }
    if (!lines_hex(&at, &base))
        return lines_error(&converting->lines, converting->error,
                           "expected the address of a module");
    take_parts(at, base, &module);
    if (text_size == 1 && *text == 'x' && converting->program)
        module.name = converting->program;
    else
        status = keep_text(converting, text, text_size, &module.name);
    if (status != HEAPTAP_OK)
        return status;
    if (!ARRAY_RESERVE(&converting->modules, &converting->module_capacity,
                       converting->module_count + 1))
        return heaptrack_no_memory(converting);
    if (module.size_bytes > 0)
        converting->modules[converting->module_count++] = module;
    return HEAPTAP_OK;
}

/* ---- Suppressions --------------------------------------------------------------------- */

/* What the program's own __lsan_default_suppressions has, a line each; heaptrack's reports of leaks leave these out. */
static enum heaptap_status take_suppression(struct heaptrack_converting *converting, char *line)
{
    struct heaptap_metadata record = {.kind = HEAPTAP_PROPERTY, .name = "suppression"};
    const char *pattern = suppression_pattern(line);
    if (!pattern)
        return HEAPTAP_OK;
    if (!ARRAY_RESERVE(&converting->suppressions, &converting->suppression_capacity,
                       converting->suppression_count + 1))
        return heaptrack_no_memory(converting);
    enum heaptap_status status = keep_text(converting, pattern, strlen(pattern), &record.value);
    if (status == HEAPTAP_OK)
        converting->suppressions[converting->suppression_count++] = record;
    return status;
}

/* ---- Lines ---------------------------------------------------------------------------- */

static enum heaptap_status take_version(struct heaptrack_converting *converting, char *at)
{
    uint64_t version;
    if (!lines_hex(&at, &version))
        return lines_error(&converting->lines, converting->error,
                           "expected the versions of heaptrack and of its format");
    if (!lines_hex(&at, &converting->format))
        converting->format = version == 0x10200; /* written before there were two numbers */
    if (converting->format > FORMAT_NEWEST)
        return lines_error(&converting->lines, converting->error,
                           "the file's format has version %" PRIu64 "; up to %d are known",
                           converting->format, FORMAT_NEWEST);
    snprintf(converting->version, sizeof converting->version, "heaptrack %u.%u.%u",
             (unsigned)(version >> 16 & 0xff), (unsigned)(version >> 8 & 0xff),
             (unsigned)(version & 0xff));
    converting->has_version = true;
    return HEAPTAP_OK;
}

/* The command: its first word is the program, unless that is told. */
static enum heaptap_status take_command(struct heaptrack_converting *converting, char *at,
                                        size_t size)
{
    size_t skipped = strspn(at, " ");
    at += skipped;
    enum heaptap_status status = keep_text(converting, at, size - skipped, &converting->command);
    if (status == HEAPTAP_OK && !converting->program)
        status = keep_text(converting, at, strcspn(at, " "), &converting->program);
    return status;
}

static enum heaptap_status take_program(struct heaptrack_converting *converting, char *at,
                                        size_t size)
{
    char *text;
    size_t text_size;
    enum heaptap_status status = take_string(converting, &at, size, &text, &text_size);
    converting->outcome->is_raw = true;
    return status == HEAPTAP_OK ? keep_text(converting, text, text_size, &converting->program)
                                : status;
}

static enum heaptap_status take_time(struct heaptrack_converting *converting, char *at)
{
    uint64_t milliseconds;
    if (!lines_hex(&at, &milliseconds) || milliseconds > INT64_MAX / 1000)
        return lines_error(&converting->lines, converting->error,
                           "expected a time in milliseconds");
    int64_t now_us = (int64_t)milliseconds * 1000;
    converting->now_us = now_us > converting->now_us ? now_us : converting->now_us;
    return HEAPTAP_OK;
}

static enum heaptap_status take_event(struct heaptrack_converting *converting, char *text)
{
    enum heaptap_status status = converting->writer ? HEAPTAP_OK : open_writer(converting);
    if (status != HEAPTAP_OK)
        return status;
    return *text == '+' ? heaptrack_take_allocation(converting, text + 1)
                        : heaptrack_take_end(converting, text + 1);
}

static enum heaptap_status take_line(struct heaptrack_converting *converting, char *text,
                                     size_t size)
{
    char *at = text + 1;
    size_t rest = size - 1;
    if (size == 0)
        return HEAPTAP_OK;
    switch (*text) {
    case '+':
    case '-':
        return take_event(converting, text);
    case 's':
        return take_name(converting, at, rest);
    case 'i':
        return heaptrack_take_place(&converting->names, &converting->lines, at, converting->error);
    case 't':
        return heaptrack_take_stack(&converting->names, &converting->lines, at,
                                    converting->outcome->is_raw, converting->error);
    case 'a':
        return heaptrack_take_kind(converting, at);
    case 'c':
        return take_time(converting, at);
    case 'S':
        return take_suppression(converting, at);
    case 'v':
        return take_version(converting, at);
    case 'X':
        return take_command(converting, at, rest);
    case 'x':
        return take_program(converting, at, rest);
    case 'm':
        converting->outcome->is_raw = true;
        return take_module(converting, at, rest);
    case 'I':
    case 'R':
        converting->has_pages = true;
        return HEAPTAP_OK;
    case '#':
        converting->has_last_lines |= strncmp(at, " strings:", strlen(" strings:")) == 0;
        return HEAPTAP_OK;
    case 'A': /* heaptrack came to a running program */
        return HEAPTAP_OK;
    }
    return lines_error(&converting->lines, converting->error,
                       "heaptrack has no lines that begin with '%.1s'", text);
}

static enum heaptap_status convert(struct heaptrack_converting *converting)
{
    char *text;
    size_t size;
    enum heaptap_status status;
    while ((status = lines_next(&converting->lines, &text, &size, converting->error)) ==
           HEAPTAP_OK) {
        status = take_line(converting, text, size);
        if (status == HEAPTAP_OK && !converting->has_version)
            status = lines_error(&converting->lines, converting->error,
                                 "expected the line of versions, v ...");
        if (status != HEAPTAP_OK)
            return status;
    }
    if (status == HEAPTAP_END && !converting->writer)
        return open_writer(converting);
    return status == HEAPTAP_END ? HEAPTAP_OK : status;
}

static void converting_release(struct heaptrack_converting *converting)
{
    lines_release(&converting->lines);
    heaptrack_names_release(&converting->names);
    map_release(&converting->alive);
    free(converting->kinds);
    free(converting->blocks);
    free(converting->modules);
    free(converting->suppressions);
    free(converting);
}

static enum heaptap_status make_trace(struct input *input, const struct heaptap_sink *sink,
                                      struct file_conversion *outcome, struct heaptap_error *error)
{
    struct heaptrack_converting *converting = calloc(1, sizeof *converting);
    *outcome = (struct file_conversion){0};
    if (!converting)
        return error_no_memory(error);
    converting->sink = sink;
    converting->outcome = outcome;
    converting->error = error;
    converting->free_block = NO_BLOCK;
    lines_init(&converting->lines, input);
    enum heaptap_status status = heaptrack_names_init(&converting->names)
                                     ? convert(converting)
                                     : heaptrack_no_memory(converting);
    bool failed = status != HEAPTAP_OK;
    struct heaptap_error kept = failed && error ? *error : (struct heaptap_error){0};
    enum heaptap_status closed = close_writer(converting);
    if (failed && error)
        *error = kept;
    converting_release(converting);
    return failed ? status : closed;
}

static bool looks_like_one(const uint8_t *bytes, size_t size)
{
    if (size < 4 || bytes[0] != 'v' || bytes[1] != ' ')
        return false;
    for (size_t i = 2; i < size; i++) {
        if (bytes[i] == ' ' || bytes[i] == '\n')
            return i > 2;
        if (!strchr("0123456789abcdef", bytes[i]) || bytes[i] == 0)
            return false;
    }
    return false;
}

const struct file_format heaptrack_format = {"heaptrack", .looks_like_one = looks_like_one,
                                             .convert = make_trace};
