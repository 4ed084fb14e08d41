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

/* Is the path a program's?  No source's path is taken for one: a main function whose file is its module is of a program, too. */
static bool is_program(const struct library_program *program, const char *path)
{
    for (const char *const *home = program->homes; *home; home++)
        if (strcmp(*home, path) == 0)
            return true;
    return false;
}

/* What the linker and libc put around main; and a main of which no line is known, as in the distribution's programs: that all
 * of them begin there says nothing, and what their libraries do says more (ruby and libruby, clang and libclang-cpp). */
static bool is_entry(const struct library_program *program, const struct heaptap_location *location)
{
    const char *function = location->function, *file = location->file ? location->file : "";
    return strcmp(function, "_start") == 0 || begins_with(function, "__libc_start_") ||
           strcmp(function, "__libc_csu_init") == 0 ||
           (location->line == 0 && is_main(function) && (!*file || is_program(program, file)));
}

static void add_home(struct library_program *program, const char *path)
{
    size_t count = 0;
    if (!path || !*path || is_program(program, path))
        return;
    while (program->homes[count])
        count++;
    if (count < LIBRARY_HOMES)
        program->homes[count] = path;
}

static void add_programs(struct library_program *program, const struct frame_source *source)
{
    const char *path;
    add_home(program, source->program);
    for (size_t i = 0; source->program_of && (path = source->program_of(source->context, i)); i++)
        add_home(program, path);
}

static bool is_of_program(const struct library_program *program, const struct frame_source *source,
                          uint32_t frame)
{
    const char *module = source->module ? source->module(source->context, frame) : NULL;
    return module && is_program(program, module);
}

/* The sources of main functions: of the first, and of each that lies in a program's own file.  (In languages without such files,
 * packages may have a main of their own.) */
static void add_main(struct library_program *program, const struct frame_source *source,
                     uint32_t frame, bool *is_found)
{
    size_t count;
    const struct heaptap_location *all = source->locations(source->context, frame, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].file && is_main(all[i].function) &&
            (!*is_found || is_of_program(program, source, frame))) {
            add_home(program, all[i].file);
            *is_found = true;
        }
}

struct library_program library_program_of(const struct frame_source *source)
{
    struct library_program program = {.is_nameless_runtime = source->is_nameless_runtime,
                                      .wrappers = source->wrappers};
    bool has_main = false;
    add_programs(&program, source);
    for (uint32_t frame = 0; frame < source->frame_count; frame++)
        add_main(&program, source, frame, &has_main);
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
    if (location &&
        (library_is_place(location, program->homes) || wrappers_have(program->wrappers, location)))
        return LIBRARY_CODE;
    if (!location && program->is_nameless_runtime)
        return LIBRARY_CODE;
    if (location && is_entry(program, location))
        return LIBRARY_SHARED;
    if (!module)
        module = file;
    return library_is_shared(module) && !is_program(program, module) ? LIBRARY_SHARED
                                                                     : LIBRARY_NONE;
}
