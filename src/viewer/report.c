#include "viewer/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/call_graph.h"
#include "base/plain.h"
#include "viewer/assets.h"

enum { FUNCTIONS = 12, FUNCTION_NODES = 600, URL_BYTES = 8192 };

struct writing {
    FILE *file;
    const struct viewer_state *state;
    uint32_t nodes;
    const char *separator; /* before the next answer */
    bool failed;
};

/* ---- Answers ----------------------------------------------------------------------------- */

/* JSON that can stand in a <script>: < is in its strings alone. */
static void put_json(FILE *file, const char *text, size_t size)
{
    for (const char *end = text + size; text < end;) {
        size_t plain = strcspn(text, "<");
        plain = plain < (size_t)(end - text) ? plain : (size_t)(end - text);
        fwrite(text, 1, plain, file);
        text += plain;
        if (text < end) {
            fputs("\\u003c", file);
            text++;
        }
    }
}

/* Asks what the page would ask, and writes "URL": ANSWER. */
__attribute__((format(printf, 2, 3))) static void put_answer(struct writing *writing,
                                                             const char *format, ...)
{
    char url[URL_BYTES];
    struct viewer_request request;
    struct viewer_answer answer;
    struct heaptap_error error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(url, sizeof url, format, arguments);
    va_end(arguments);
    if (writing->failed || viewer_request_parse(&request, url, &error) != VIEWER_FINE)
        return;
    viewer_answer_make(&answer, writing->state, &request);
    writing->failed = answer.verdict == VIEWER_NO_MEMORY;
    if (answer.verdict == VIEWER_FINE) {
        fprintf(writing->file, "%s\"%s\":", writing->separator, url); /* escaped: no quotes in it */
        put_json(writing->file, answer.text, answer.size);
        writing->separator = ",";
    }
    free(answer.text);
}

static bool stays(char character)
{
    return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z') ||
           (character >= 'A' && character <= 'Z') || character == '-' || character == '.' ||
           character == '_';
}

/* `text` as a value of a URL; cut where `to`, of `size` bytes, is full. */
static const char *escaped(char *to, size_t size, const char *text)
{
    size_t used = 0;
    for (; *text && used + 4 < size; text++) {
        if (stays(*text))
            to[used++] = *text;
        else
            used += (size_t)sprintf(to + used, "%%%02X", (unsigned char)*text);
    }
    to[used] = 0;
    return to;
}

/* ---- What is asked ----------------------------------------------------------------------- */

static const char *base_of(const struct writing *writing)
{
    return writing->state->base ? "&base=1" : "";
}

static void put_selection(struct writing *writing, const char *filter)
{
    char text[512];
    const char *base = base_of(writing);
    escaped(text, sizeof text, filter);
    put_answer(writing, "/api/tree?filter=%s%s&nodes=%u", text, base, writing->nodes);
    put_answer(writing, "/api/tree?filter=%s%s&reverse=1&nodes=%u", text, base, writing->nodes);
    put_answer(writing, "/api/tree?filter=%s%s&recursion=1&nodes=%u", text, base, writing->nodes);
    put_answer(writing, "/api/top?filter=%s%s&nodes=1000", text, base);
    put_answer(writing, "/api/graph?filter=%s%s&nodes=80", text, base);
    put_answer(writing, "/api/distributions?filter=%s%s", text, base);
    put_answer(writing, "/api/timeline?filter=%s%s", text, base);
    put_answer(writing, "/api/advice?filter=%s", text);
}

static void put_by_objects(struct writing *writing)
{
    const char *base = base_of(writing);
    put_answer(writing, "/api/tree?weight=objects%s&nodes=%u", base, writing->nodes);
    put_answer(writing, "/api/tree?weight=objects&reverse=1%s&nodes=%u", base, writing->nodes);
    put_answer(writing, "/api/tree?weight=objects&recursion=1%s&nodes=%u", base, writing->nodes);
    put_answer(writing, "/api/top?weight=objects%s&nodes=1000", base);
    put_answer(writing, "/api/graph?weight=objects%s&nodes=80", base);
}

static void put_function(struct writing *writing, const char *function)
{
    char text[3 * 512];
    const char *base = base_of(writing);
    if (strlen(plain(function)) >= 512)
        return;
    escaped(text, sizeof text, plain(function));
    put_answer(writing, "/api/peek?function=%s%s", text, base);
    put_answer(writing, "/api/source?function=%s%s", text, base);
    put_answer(writing, "/api/tree?function=%s%s&nodes=%d", text, base, FUNCTION_NODES);
    put_answer(writing, "/api/tree?function=%s&reverse=1%s&nodes=%d", text, base, FUNCTION_NODES);
}

/* The functions that allocate most themselves. */
static void put_functions(struct writing *writing)
{
    struct call_graph graph;
    struct heaptap_error error;
    size_t length;
    struct viewer_selected *selected;
    struct selection_options options = {0};
    struct viewer_dataset *file = writing->state->files[0];
    struct call_graph_options how = {
        .grain = GRAIN_FUNCTION, .order = ORDER_FLAT, .node_count = FUNCTIONS};
    if (file->model->kind == MODEL_SAMPLES) {
        how.weight = WEIGHT_VALUE;
        options.value_type = file->model->samples.default_type;
    }
    if (viewer_dataset_select(file, "", &options, &selected, &length, &error) != HEAPTAP_OK ||
        !call_graph_init(&graph, &selected->selection.profile, &selected->selection.frames, &how)) {
        writing->failed = true;
        return;
    }
    for (size_t i = 0; i < graph.count; i++)
        put_function(writing, symbol_name(&graph.symbols.items[graph.nodes[i].symbol]));
    call_graph_release(&graph);
}

/* The page's presets (ui/src/clauses.ts). */
static void put_trace(struct writing *writing, const struct model *model)
{
    char short_lived[64];
    int64_t hundredth = (model->end_us + 50) / 100;
    snprintf(short_lived, sizeof short_lived, "lifetime<=%" PRId64 "us",
             hundredth > 0 ? hundredth : 1);
    put_selection(writing, "");
    put_selection(writing, "live-at=peak");
    put_selection(writing, "collected=never");
    put_selection(writing, short_lived);
    if (model->objects.promoted_us)
        put_selection(writing, "promoted!=never");
    put_by_objects(writing);
}

/* Of a profile, all of its values. */
static void put_profile(struct writing *writing, const struct model *model)
{
    const char *base = base_of(writing);
    for (size_t type = 0; type < model->samples.type_count; type++) {
        unsigned number = (unsigned)type;
        put_answer(writing, "/api/tree?type=%u%s&nodes=%u", number, base, writing->nodes);
        put_answer(writing, "/api/tree?type=%u%s&reverse=1&nodes=%u", number, base, writing->nodes);
        put_answer(writing, "/api/tree?type=%u%s&recursion=1&nodes=%u", number, base,
                   writing->nodes);
        put_answer(writing, "/api/top?type=%u%s&nodes=1000", number, base);
        put_answer(writing, "/api/graph?type=%u%s&nodes=80", number, base);
    }
}

static void put_answers(struct writing *writing)
{
    const struct model *model = writing->state->files[0]->model;
    put_answer(writing, "/api/about");
    if (model->kind == MODEL_OBJECTS)
        put_trace(writing, model);
    else
        put_profile(writing, model);
    put_functions(writing);
}

/* ---- The page ---------------------------------------------------------------------------- */

/* What is in the file may run, and nothing else: a name that got out of its place would be no more than
 * text. */
static void put_policy(FILE *file)
{
    fprintf(file,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
            "'%s' '%s' 'wasm-unsafe-eval'; style-src '%s'; img-src data: blob:; base-uri 'none'; "
            "form-action 'none'\">\n",
            viewer_page_script_sha256, viewer_layout_script_sha256, viewer_page_style_sha256);
}

static void put_scripts(struct writing *writing)
{
    FILE *file = writing->file;
    fputs("<script type=\"application/json\" id=\"answers\">{", file);
    put_answers(writing);
    fputs("}</script>\n<script type=\"text/plain\" id=\"layout\">", file);
    fputs(viewer_layout_script, file);
    fputs("</script>\n<script>", file);
    fputs(viewer_page_script, file);
    fputs("</script>\n", file);
}

/* Lines of the page that name other files are replaced by what is in those. */
static void put_line(struct writing *writing, const char *line, size_t size)
{
    FILE *file = writing->file;
    if (memmem(line, size, "rel=\"icon\"", 10)) {
        put_policy(file);
    } else if (memmem(line, size, "rel=\"stylesheet\"", 16)) {
        fputs("<style>", file);
        fputs(viewer_page_style, file);
        fputs("</style>\n", file);
    } else if (memmem(line, size, "src=\"page.js\"", 13)) {
        put_scripts(writing);
    } else {
        fwrite(line, 1, size, file);
    }
}

bool viewer_report_write(FILE *file, const struct viewer_state *state, uint32_t nodes)
{
    struct writing writing = {.file = file, .state = state, .nodes = nodes, .separator = ""};
    for (const char *line = viewer_page_html; *line;) {
        const char *end = strchr(line, '\n');
        size_t size = end ? (size_t)(end - line) + 1 : strlen(line);
        put_line(&writing, line, size);
        line += size;
    }
    return !writing.failed;
}
