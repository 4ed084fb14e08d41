#include "profile/loading.h"

#include <stdlib.h>
#include <string.h>

#include "base/affix.h"

enum frame_kind { FRAME_OWN, FRAME_PASSES, FRAME_LOADER };

/* importlib's, ld.so's. */
static bool is_loader(const struct heaptap_location *location)
{
    static const char *const linker[] = {"_dl_open", "dl_open_worker", "dl_open_worker_begin",
                                         "_dl_map_object", "_dl_init"};
    if (location->file && begins_with(location->file, "<frozen importlib"))
        return true;
    for (size_t i = 0; i < sizeof linker / sizeof *linker; i++)
        if (strcmp(location->function, linker[i]) == 0)
            return true;
    return false;
}

static bool is_module_body(const struct heaptap_location *location)
{
    return strcmp(location->function, "<module>") == 0;
}

/* The kind of a frame is that of its location which is the most the program's own, unless one is a loader's. */
static enum frame_kind kind_of(const struct frame_source *source,
                               const struct library_program *program, uint32_t frame)
{
    size_t count;
    const char *module = source->module(source->context, frame);
    const struct heaptap_location *locations = frame_source_locations(source, frame, &count);
    enum frame_kind kind = FRAME_PASSES;
    for (size_t i = 0; i < count; i++) {
        if (is_loader(&locations[i]))
            return FRAME_LOADER;
        if (!is_module_body(&locations[i]) &&
            library_kind_of(program, module, &locations[i]) == LIBRARY_NONE)
            kind = FRAME_OWN;
    }
    bool is_library = count > 0 || library_kind_of(program, module, NULL) != LIBRARY_NONE;
    return is_library ? kind : FRAME_OWN;
}

static bool has_loader(const struct frame_source *source)
{
    size_t count;
    for (uint32_t frame = 0; frame < source->frame_count; frame++) {
        const struct heaptap_location *locations = frame_source_locations(source, frame, &count);
        for (size_t i = 0; i < count; i++)
            if (is_loader(&locations[i]))
                return true;
    }
    return false;
}

/* A caller's number is below its callees'. */
static void spread(bool *nodes, const struct stack_trie *trie, const unsigned char *kinds)
{
    for (size_t node = STACK_ROOT + 1; node < trie->count; node++) {
        enum frame_kind kind = kinds[trie->nodes[node].frame];
        nodes[node] =
            kind == FRAME_LOADER || (kind == FRAME_PASSES && nodes[trie->nodes[node].parent]);
    }
}

bool loading_nodes(bool **nodes, const struct frame_source *source, const struct stack_trie *trie)
{
    *nodes = NULL;
    if (!has_loader(source))
        return true;
    struct library_program program = library_program_of(source);
    unsigned char *kinds = malloc(source->frame_count + 1);
    *nodes = calloc(trie->count + 1, sizeof **nodes);
    for (uint32_t frame = 0; kinds && frame < source->frame_count; frame++)
        kinds[frame] = (unsigned char)kind_of(source, &program, frame);
    if (kinds && *nodes)
        spread(*nodes, trie, kinds);
    free(kinds);
    return kinds && *nodes;
}
