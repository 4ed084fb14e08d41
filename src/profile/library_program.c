/* The file of a location without a line is its module's path (symbol/symbolizer.h), so that names from symbol tables alone tell
 * their modules, too. */
#include "profile/library_program.h"

#include <string.h>

#include "base/affix.h"

bool library_is_shared(const char *path)
{
    static const char *const folders[] = {"/usr/lib/", "/usr/lib64/", "/usr/lib32/", "/usr/libx32/",
                                          "/lib/",     "/lib64/",     "/lib32/",     "/libx32/"};
    const char *slash = strrchr(path, '/');
    const char *end = slash ? strstr(slash, ".so") : NULL;
    if (!end || (end[3] && end[3] != '.'))
        return false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (begins_with(path, folders[i]))
            return true;
    return false;
}

/* ---- The program ---------------------------------------------------------------------- */

static bool is_main(const char *function)
{
    return strcmp(function, "main") == 0 || strcmp(function, "main.main") == 0;
}

/* What the linker and libc put around main; and a main of which no line is known, as in the distribution's programs: that all
 * of them begin there says nothing, and what their libraries do says more (ruby and libruby, clang and libclang-cpp). */
static bool is_entry(const struct library_program *program, const struct heaptap_location *location)
{
    const char *function = location->function, *file = location->file ? location->file : "";
    return strcmp(function, "_start") == 0 || begins_with(function, "__libc_start_") ||
           strcmp(function, "__libc_csu_init") == 0 ||
           (location->line == 0 && is_main(function) && (!*file || !strcmp(file, program->path)));
}

struct library_program library_program_of(const struct frame_source *source)
{
    struct library_program program = {source->program ? source->program : "", "",
                                      source->is_nameless_runtime, source->wrappers};
    for (uint32_t frame = 0; frame < source->frame_count && !*program.main_file; frame++) {
        size_t count;
        const struct heaptap_location *all = source->locations(source->context, frame, &count);
        for (size_t i = 0; i < count; i++)
            if (all[i].file && is_main(all[i].function))
                program.main_file = all[i].file;
    }
    return program;
}

/* ---- Frames --------------------------------------------------------------------------- */

bool library_program_is_allocator(const struct library_program *program,
                                  const struct heaptap_location *location)
{
    return library_is_allocator(location) || wrappers_have(program->wrappers, location);
}

enum library_kind library_kind_of(const struct library_program *program, const char *module,
                                  const struct heaptap_location *location)
{
    const char *file = location && location->file ? location->file : "";
    const char *const homes[] = {program->path, program->main_file, NULL};
    if (location &&
        (library_is_place(location, homes) || wrappers_have(program->wrappers, location)))
        return LIBRARY_CODE;
    if (!location && program->is_nameless_runtime)
        return LIBRARY_CODE;
    if (location && is_entry(program, location))
        return LIBRARY_SHARED;
    if (!module)
        module = file;
    return library_is_shared(module) && strcmp(module, program->path) != 0 ? LIBRARY_SHARED
                                                                           : LIBRARY_NONE;
}
