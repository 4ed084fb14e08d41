/* What a code means.  The codes of a call stack that the runtime took are addresses of its
 * debugging information, which knows the function, the file and the line of a call and of each
 * call that was inlined there.  It lies in the program's static data: nothing is allocated, nothing
 * can move. */
#include "tracer.h"

#include <caml/backtrace_prim.h>
#include <caml/version.h>
#include <string.h>

#include "base/array.h"
#include "taught.h"

_Thread_local const struct taught *describe_taught;

/* External.alloc is a place of the library, of which nobody wants to hear where it was inlined. */
static const char own_function[] = "Memtrace__Memprof_tracer.ext_alloc";

static struct heaptap_location location_of(const struct caml_loc_info *info)
{
    struct heaptap_location location = {
        .file = info->loc_filename,
        .function = info->loc_defname && *info->loc_defname ? info->loc_defname : "??",
    };
#if OCAML_VERSION >= 50200
    location.line = (uint32_t)info->loc_start_lnum;
    location.start_char = (uint32_t)info->loc_start_chr;
    location.end_char = (uint32_t)info->loc_end_offset;
#else
    location.line = (uint32_t)info->loc_lnum;
    location.start_char = (uint32_t)info->loc_startchr;
    location.end_char = (uint32_t)info->loc_endchr;
#endif
    return location;
}

static size_t describe_slot(value slot, struct heaptap_location *locations, size_t max)
{
    size_t count = 0;
    debuginfo debug = caml_debuginfo_extract(Backtrace_slot_val(slot));
    for (; debug && count < max; debug = caml_debuginfo_next(debug)) {
        struct caml_loc_info info;
        caml_debuginfo_location(debug, &info);
        if (info.loc_valid)
            locations[count++] = location_of(&info);
    }
    if (count > 1 && strcmp(locations[0].function, own_function) == 0)
        memmove(locations, locations + 1, --count * sizeof *locations);
    ARRAY_REVERSE(locations, count); /* the runtime gives the innermost call first */
    return count;
}

size_t describe_code(void *context, uint64_t code, struct heaptap_location *locations, size_t max)
{
    (void)context;
    if (describe_taught)
        return taught_describe(describe_taught, code, locations, max);
    if (code == CODE_NO_STACK) {
        locations[0] = (struct heaptap_location){.file = "<unknown>", .function = "<no stack>"};
        return 1;
    }
    return describe_slot((value)code, locations, max);
}
