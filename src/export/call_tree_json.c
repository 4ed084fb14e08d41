#include "export/call_tree_json.h"

#include <stdlib.h>

#include "base/array.h"
#include "export/json.h"
#include "export/symbol_json.h"

static void put_tally(struct json *json, const struct call_tree *tree, const char *key,
                      const struct stack_tally *tally, const struct estimate *estimate)
{
    json_key(json, key);
    json_begin_object(json);
    if (tree->measure.type) {
        json_put_double(json, "value", tally->value);
        json_put_uint(json, "samples", tally->samples);
        json_end(json);
        return;
    }
    json_put_double(json, "bytes", stack_tally_bytes(tally, estimate));
    json_put_uint(json, "samples", tally->samples);
    json_put_double(json, "objects", stack_tally_objects(tally, estimate));
    json_end(json);
}

static void put_node(struct json *json, const struct call_tree *tree, uint32_t node, int64_t parent,
                     const struct estimate *estimate)
{
    json_begin_object(json);
    json_put_int(json, "parent", parent);
    if (node != STACK_ROOT)
        symbol_json_put(json, call_tree_symbol(tree, node));
    put_tally(json, tree, "total", &tree->total[node], estimate);
    put_tally(json, tree, "self", &tree->self[node], estimate);
    json_end(json);
}

static bool put_nodes(struct json *json, const struct call_tree *tree,
                      const struct estimate *estimate, enum stack_weight weight, double min_share)
{
    double all = stack_tally_weight(&tree->total[STACK_ROOT], estimate, weight);
    struct call_walk walk;
    int64_t *numbers = NULL, next = 0; /* numbers by depth: of the node there, in the list */
    size_t capacity = 0;
    call_walk_init(&walk, tree);
    bool done = ARRAY_RESERVE(&numbers, &capacity, 1);
    if (done) {
        numbers[0] = next++;
        put_node(json, tree, STACK_ROOT, -1, estimate);
    }
    while (done && call_walk_next(&walk)) {
        uint32_t node = call_walk_node(&walk);
        walk.skip = stack_tally_weight(&tree->total[node], estimate, weight) < min_share * all;
        if (walk.skip)
            continue;
        done = ARRAY_RESERVE(&numbers, &capacity, walk.depth + 1);
        if (done) {
            numbers[walk.depth] = next++;
            put_node(json, tree, node, numbers[walk.depth - 1], estimate);
        }
    }
    done = done && !walk.failed;
    call_walk_release(&walk);
    free(numbers);
    return done;
}

bool call_tree_json_print(const struct call_tree *tree, const struct estimate *estimate,
                          enum stack_weight weight, double min_share, const char *trace_name,
                          bool complete, FILE *file)
{
    static const char *const weights[] = {"bytes", "samples", "objects", "value"};
    struct json json;
    json_init(&json, file);
    json_begin_object(&json);
    json_put_string(&json, "trace", trace_name);
    json_put_bool(&json, "complete", complete);
    json_put_string(&json, "weight", weights[weight]);
    if (tree->measure.type) {
        json_put_string(&json, "sample_type", tree->measure.type);
        json_put_string(&json, "unit", tree->measure.unit);
    }
    json_put_double(&json, "min_share", min_share);
    json_key(&json, "nodes");
    json_begin_array(&json);
    bool done = put_nodes(&json, tree, estimate, weight, min_share);
    json_end(&json);
    json_end(&json);
    return done;
}
