/* What valgrind's massif writes (massif.out.PID): of its snapshots the tree of the peak, as peak_space; in a file without one the last
 * tree, as inuse_space.
 *
 * A snapshot's tree is written in lines, depth first, from the allocating function to its callers:
 *
 *     n2: 408008 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 *      n1: 400000 0x10920B: big (t.c:5)
 *       n0: 400000 0x10921D: main (t.c:6)
 *      n0: 8008 in 2 places, all below massif's threshold (1.00%)
 *
 * As many spaces as the node is deep, the number of its children, its bytes, and what it is.  What a node has more than its children
 * becomes a sample: all of a leaf, and of others nothing, usually. */
#include "format/import/file_format.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/import/line_profile.h"
#include "format/import/valgrind_frame.h"

enum { DEEPEST = 1000 }; /* massif itself takes 200 callers at most */

struct node {
    uint32_t location; /* of the root, which is no frame: MODEL_NONE */
    int64_t bytes;     /* that no child has had yet */
    uint64_t children; /* that have not come yet */
};

struct reading {
    struct line_profile in;
    struct node path[DEEPEST + 1]; /* from the root to the node last read */
    size_t depth;                  /* nodes in it */
    bool is_tree;                  /* the next lines are nodes of a tree that is kept */
    bool has_tree, has_peak;       /* one was kept; it was the peak's */
};

static bool looks_like_one(const uint8_t *bytes, size_t size)
{
    static const char start[] = "desc: ";
    return size >= sizeof start - 1 && memcmp(bytes, start, sizeof start - 1) == 0;
}

/* ---- Nodes ----------------------------------------------------------------------------- */

static bool put_sample(struct reading *reading)
{
    for (size_t i = 1; i < reading->depth; i++)
        if (!profile_builder_frame(&reading->in.builder, reading->path[i].location))
            return false;
    return profile_builder_sample(&reading->in.builder, &reading->path[reading->depth - 1].bytes);
}

/* Leaves nodes until so many are left. */
static enum heaptap_status leave(struct reading *reading, size_t depth)
{
    for (; reading->depth > depth; reading->depth--) {
        const struct node *node = &reading->path[reading->depth - 1];
        if (node->children > 0)
            return lines_error(&reading->in.lines, reading->in.error,
                               "the tree ends before this: a node lacks %llu of its callers",
                               (unsigned long long)node->children);
        if (node->bytes > 0 && !put_sample(reading))
            return error_no_memory(reading->in.error);
    }
    return HEAPTAP_OK;
}

/* Callers that massif left out, as they had few bytes, are one. */
static uint32_t location_of(struct profile_builder *builder, char *text)
{
    static const char few[] = "(below massif's threshold)";
    bool fresh;
    if (strstr(text, "below massif's threshold"))
        return profile_builder_name(builder, few, sizeof few - 1);
    uint32_t location = profile_builder_text(builder, text, strlen(text), &fresh);
    bool done = location != MODEL_NONE && (!fresh || valgrind_frame_add(builder, location, text));
    return done ? location : MODEL_NONE;
}

static enum heaptap_status take_node(struct reading *reading, size_t depth, struct node node,
                                     char *text)
{
    struct node *parent = depth > 0 ? &reading->path[depth - 1] : NULL;
    if (depth > reading->depth || depth > DEEPEST || (!parent && reading->depth > 0))
        return lines_error(&reading->in.lines, reading->in.error,
                           "a node of the tree begins with %zu spaces, which no node before it "
                           "leads to",
                           depth);
    enum heaptap_status status = leave(reading, depth);
    if (status == HEAPTAP_OK && parent && (parent->children == 0 || parent->bytes < node.bytes))
        return lines_error(&reading->in.lines, reading->in.error,
                           "a node has more %s than what it calls has for its callers",
                           parent->children ? "bytes" : "callers");
    if (status != HEAPTAP_OK)
        return status;
    if (parent) {
        node.location = location_of(&reading->in.builder, text);
        parent->children--;
        parent->bytes -= node.bytes;
    }
    reading->path[reading->depth++] = node;
    return !parent || node.location != MODEL_NONE ? HEAPTAP_OK : error_no_memory(reading->in.error);
}

/* "  n1: 8008 0x1091E2: leak (t.c:4)" */
static enum heaptap_status take_node_line(struct reading *reading, char *line)
{
    size_t depth = strspn(line, " ");
    char *at = line + depth + 1;
    uint64_t children, bytes;
    bool is_node = line[depth] == 'n' && lines_decimal(&at, &children) && *at++ == ':' &&
                   lines_decimal(&at, &bytes) && *at++ == ' ' && bytes <= INT64_MAX;
    if (!is_node)
        return lines_error(&reading->in.lines, reading->in.error,
                           "expected a node of massif's tree, such as 'n0: 4000 0x10921D: main "
                           "(t.c:6)', not '%.60s'",
                           line);
    return take_node(reading, depth, (struct node){MODEL_NONE, (int64_t)bytes, children}, at);
}

/* ---- Snapshots -------------------------------------------------------------------------- */

/* A tree takes the place of the one before it. */
static bool begin_tree(struct reading *reading, bool is_peak)
{
    profile_builder_release(&reading->in.builder);
    reading->is_tree = reading->has_tree = true;
    reading->has_peak = is_peak;
    return profile_builder_init(&reading->in.builder, "massif") &&
           model_add_value_type(reading->in.builder.model, is_peak ? "peak_space" : "inuse_space",
                                "bytes");
}

/* A snapshot ends with a node of its tree, or with the line that says that it has none. */
static bool can_be_last(const char *line)
{
    return *line == ' ' || *line == 'n' || strcmp(line, "heap_tree=empty") == 0;
}

static enum heaptap_status take_line(void *context, char *line, size_t size)
{
    struct reading *reading = context;
    (void)size;
    static const char key[] = "heap_tree=";
    bool is_end = *line == '#' || !*line, is_tree = strncmp(line, key, sizeof key - 1) == 0;
    if (*line)
        reading->in.lacks_end = !can_be_last(line);
    if (reading->is_tree && !is_end)
        return take_node_line(reading, line);
    reading->is_tree = false;
    enum heaptap_status status = leave(reading, 0);
    if (status != HEAPTAP_OK || reading->has_peak || !is_tree ||
        strcmp(line + sizeof key - 1, "empty") == 0)
        return status;
    return begin_tree(reading, strcmp(line + sizeof key - 1, "peak") == 0)
               ? HEAPTAP_OK
               : error_no_memory(reading->in.error);
}

static enum heaptap_status end(void *context)
{
    struct reading *reading = context;
    enum heaptap_status status = leave(reading, 0);
    return status != HEAPTAP_OK || reading->has_tree
               ? status
               : error_at(reading->in.error, 0,
                          "none of the snapshots in this massif file has a tree of callers");
}

static enum heaptap_status read_profile(struct model **result, struct input *input,
                                        struct heaptap_error *error)
{
    static const struct line_profile_format format = {"massif", .take_line = take_line, .end = end};
    struct reading reading = {0};
    return line_profile_read(&reading.in, &format, input, result, error);
}

const struct file_format massif_format = {"massif", .looks_like_one = looks_like_one,
                                          .read = read_profile, .lacks_names = true};
