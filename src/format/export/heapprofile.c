/* The tree may be deeper than JSON's writer goes, and than the stack of a thread, so objects of nodes are opened and closed
 * by hand, as a walk goes down and up. */
#include "format/export/heapprofile.h"

#include <inttypes.h>
#include <math.h>

#include "report/tree/call_walk.h"
#include "answer/json.h"
#include "spec/own_member.h"

/* Chrome and Node.js, and heaptap itself, read trees of some thousand levels. */
enum { DEEPEST = 4000 };

struct printing {
    struct call_walk walk;
    const struct estimate *estimate;
    enum stack_weight weight;
    FILE *file;
    uint32_t last_id;
};

/* What the walk is at, up to its children, which follow. */
static void begin_node(struct printing *printing)
{
    struct json json;
    const struct symbol *symbol = call_walk_symbol(&printing->walk);
    double self = stack_tally_weight(&printing->walk.self, printing->estimate, printing->weight);
    fputs("{\"callFrame\":", printing->file);
    json_init_compact(&json, printing->file);
    json_begin_object(&json);
    json_put_string(&json, "functionName", symbol ? symbol_name(symbol) : "(root)");
    json_put_string(&json, "scriptId", "0");
    json_put_string(&json, "url", symbol && symbol->file ? symbol->file : "");
    json_put_int(&json, "lineNumber", symbol && symbol->line > 0 ? (int64_t)symbol->line - 1 : -1);
    json_put_int(&json, "columnNumber", -1);
    json_end(&json);
    fprintf(printing->file, ",\"selfSize\":%.0f,\"id\":%" PRIu32 ",\"children\":[", round(self),
            ++printing->last_id);
}

static bool print_nodes(struct printing *printing)
{
    struct call_walk *walk = &printing->walk;
    size_t open = 0; /* nodes below the root that have begun and not ended */
    begin_node(printing);
    while (call_walk_next(walk)) {
        bool is_first = walk->depth > open;
        for (; open >= walk->depth; open--)
            fputs("]}", printing->file);
        if (!is_first)
            fputc(',', printing->file);
        begin_node(printing);
        open = walk->depth;
    }
    for (; open > 0; open--)
        fputs("]}", printing->file);
    fputs("]}", printing->file);
    return !walk->failed;
}

static void put_own_member(const struct export_head *head, FILE *file)
{
    struct json json;
    json_init_compact(&json, file);
    export_put_own_member(&json, head);
}

bool heapprofile_print(const struct stack_profile *profile, const struct frame_source *frames,
                       const struct export_head *head, FILE *file)
{
    struct branch_options how = {.grain = head->grain, .max_depth = DEEPEST};
    struct printing printing = {
        .estimate = &profile->estimate, .weight = head->weight, .file = file};
    if (!call_walk_init(&printing.walk, profile, frames, &how))
        return false;
    fputs("{\"head\":", file);
    bool done = print_nodes(&printing);
    fputs(",\"samples\":[],\"" OWN_MEMBER "\":", file);
    put_own_member(head, file);
    fputs("}\n", file);
    call_walk_release(&printing.walk);
    return done;
}
