#include "page/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "answer/base64.h"
#include "page/assets.h"
#include "page/report_stacks.h"
#include "profile/holders.h"
#include "report/summary/cards.h"

enum { URL_BYTES = 8192, PACKED_LEAST = 8192 /* bytes of an answer that is compressed */ };

struct writing {
    FILE *file;
    const struct viewer_state *state;
    uint32_t nodes;
    const char *separator; /* before the next answer */
    struct report_progress progress;
    size_t done, whole; /* steps */
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

/* A string: the text, compressed, in base64.  False when there is no memory. */
static bool put_packed(FILE *file, const char *text, size_t size)
{
    uLongf packed_size = compressBound(size);
    uint8_t *packed = malloc(packed_size);
    bool done = packed && compress2(packed, &packed_size, (const uint8_t *)text, size, 6) == Z_OK;
    fputc('"', file);
    if (done)
        base64_write(file, packed, packed_size);
    fputc('"', file);
    free(packed);
    return done;
}

/* Asks what the page would ask, and writes "URL": ANSWER. */
__attribute__((format(printf, 2, 3))) static void put_answer(struct writing *writing,
                                                             const char *format, ...)
{
    char url[URL_BYTES];
    struct viewer_request request;
    struct heaptap_error error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(url, sizeof url, format, arguments);
    va_end(arguments);
    if (writing->failed || viewer_request_parse(&request, url, &error) != VIEWER_FINE)
        return;
    struct net_answer answer = viewer_answer_make(writing->state, &request);
    writing->failed = answer.status == VIEWER_NO_MEMORY;
    if (answer.status == VIEWER_FINE) {
        fprintf(writing->file, "%s\"%s\":", writing->separator, url); /* escaped: no quotes in it */
        if (answer.size < PACKED_LEAST)
            put_json(writing->file, answer.text, answer.size);
        else
            writing->failed = !put_packed(writing->file, answer.text, answer.size);
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

/* The sample types of a trace that can be looked at. */
static const char *const sample_types[] = {"alloc_space", "alloc_objects"};
enum { SAMPLE_TYPES = sizeof sample_types / sizeof sample_types[0] };

/* Which part of the graph is drawn, by functions. */
static void put_graph(struct writing *writing, const char *filter, const char *sample)
{
    put_answer(
        writing,
        "/api/answer?report=graph&filter=%s&sample=%s&granularity=filefunctions%s&no-labels=1"
        "&node-count=40&columns=name,function,file,line,flat,cum,base_flat,base_cum,from,to,weight,residual,"
        "inlined,base_weight",
        filter, sample, base_of(writing));
}

/* Which differences from the base are certain, by functions and by lines (ui/src/verdicts.tsx). */
static void put_verdicts(struct writing *writing, const char *filter, const char *sample)
{
    static const char *const grains[] = {"filefunctions", "lines"};
    for (size_t i = 0; *base_of(writing) && i < sizeof grains / sizeof grains[0]; i++)
        put_answer(writing,
                   "/api/answer?report=diff&filter=%s%slibraries%%3Dshow&sample=%s&granularity=%s"
                   "&top=0&columns=name,function,file,line,verdict",
                   filter, *filter ? "+" : "", sample, grains[i]);
}

/* Over time, by size, lifetime and thread; of the base at the same times as of the file; what the
 * page asks (ui/src/series.ts, histograms.tsx). */
static void put_of_blocks(struct writing *writing, const char *filter)
{
    static const char *const of[] = {"", "&file=base"};
    int64_t end = writing->state->files[0]->model->end_us + 1;
    if (writing->state->base && writing->state->base->model->end_us >= end)
        end = writing->state->base->model->end_us + 1;
    for (size_t i = 0; i < (writing->state->base ? 2 : 1); i++) {
        put_answer(writing,
                   "/api/answer?report=distributions&form=columns&filter=%s&sample=alloc_space%s",
                   filter, of[i]);
        put_answer(writing,
                   "/api/answer?report=timeline&form=columns&columns=live_bytes,live_objects,"
                   "allocated_bytes,allocated_objects,live_bytes_low,live_bytes_high,"
                   "live_objects_low,live_objects_high,share,function,file&by-function=5&steps=600"
                   "&filter=%s&to=%" PRId64 "us%s",
                   filter, end, of[i]);
    }
}

/* What stacks don't tell: times, sizes, advice, which part of the graph is drawn, and which differences are certain. */
static void put_selection(struct writing *writing, const char *filter)
{
    char text[512];
    escaped(text, sizeof text, filter);
    put_of_blocks(writing, text);
    put_answer(writing, "/api/answer?report=advice&filter=%s", text);
    for (size_t i = 0; i < SAMPLE_TYPES; i++) {
        put_graph(writing, text, sample_types[i]);
        put_verdicts(writing, text, sample_types[i]);
    }
}

/* What held blocks at each snapshot, whatever is selected: the report is by stacks alone, and the selections are of times (ui/src/holders.ts).
 * The last one goes by no number. */
static void put_holders(struct writing *writing)
{
    const struct model_holders *holders = writing->state->files[0]->model->holders;
    char number[32] = "";
    for (size_t i = 1; holders && i <= holders->count; i++) {
        if (i < holders->count)
            snprintf(number, sizeof number, "&snapshot=%zu", i);
        put_answer(
            writing,
            "/api/answer?report=holders&node-count=100&paths=20&roots=100%s"
            "&columns=name,kind,by,function,file,line,module,type,bytes,blocks,retained_bytes,lost_bytes,"
            "number,cause,at_us,shared_bytes,shared_with,shared_kind,shared_file,shared_line",
            i < holders->count ? number : "");
    }
}

/* Of a profile, of which there are stacks, and graphs of its values. */
static void put_type(struct writing *writing, size_t type)
{
    char name[512];
    put_graph(
        writing, "",
        escaped(name, sizeof name, writing->state->files[0]->model->samples.types[type].name));
}

enum { PRESETS_MAX = 5 };

/* The page's presets (ui/src/clauses.ts), and what its cards ask. */
static size_t find_presets(const struct model *model, struct report_choice *choices,
                           char *short_lived)
{
    size_t count = 0;
    choices[count++].filter = "";
    choices[count++].filter = "live-at=peak";
    choices[count++].filter = "collected=never";
    choices[count++].filter = cards_short_lives(short_lived, model);
    if (model_has_promotions(model))
        choices[count++].filter = "promoted!=never";
    return count;
}

static void tell(void *context, size_t done)
{
    struct writing *writing = context;
    if (writing->progress.tell)
        writing->progress.tell(writing->progress.context, writing->done + done, writing->whole);
}

static void put_answers(struct writing *writing, const struct report_choice *choices, size_t count)
{
    bool is_trace = writing->state->files[0]->model->kind == MODEL_OBJECTS;
    put_answer(writing, "/api/about");
    put_answer(writing, "/api/answer?report=summary%s", base_of(writing));
    put_holders(writing);
    for (size_t i = 0; i < count; i++) {
        if (is_trace)
            put_selection(writing, choices[i].filter);
        else
            put_type(writing, choices[i].type);
        tell(writing, 0);
        writing->done++;
    }
}

/* All selections that the report has, of a profile those of all of its values. */
static struct report_choice *find_choices(const struct model *model, size_t *count,
                                          char *short_lived)
{
    bool is_trace = model->kind == MODEL_OBJECTS;
    size_t room = is_trace ? PRESETS_MAX : model->samples.type_count;
    struct report_choice *choices = calloc(room + 1, sizeof *choices);
    if (!choices)
        return NULL;
    *count = is_trace ? find_presets(model, choices, short_lived) : room;
    for (size_t i = 0; !is_trace && i < room; i++)
        choices[i] = (struct report_choice){.filter = "", .type = i};
    return choices;
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

static void put_stacks(struct writing *writing, const struct report_choice *choices, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    writing->failed = !memory || !report_stacks_put(memory, writing->state, choices, count,
                                                    writing->nodes, tell, writing);
    if (memory && fclose(memory) != 0)
        writing->failed = true;
    if (!writing->failed)
        put_json(writing->file, text, size);
    free(text);
}

static void put_scripts(struct writing *writing)
{
    FILE *file = writing->file;
    char short_lived[CARDS_CLAUSE_BYTES];
    size_t count = 0;
    struct report_choice *choices =
        find_choices(writing->state->files[0]->model, &count, short_lived);
    writing->failed = !choices;
    writing->whole = 2 * count;
    fputs("<script type=\"application/json\" id=\"answers\">{", file);
    if (choices)
        put_answers(writing, choices, count);
    fputs("}</script>\n<script type=\"application/json\" id=\"stacks\">", file);
    if (!writing->failed)
        put_stacks(writing, choices, count);
    free(choices);
    fputs("</script>\n<script type=\"text/plain\" id=\"layout\">", file);
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

bool viewer_report_write(FILE *file, const struct viewer_state *state, uint32_t nodes,
                         const struct report_progress *progress)
{
    struct writing writing = {
        .file = file, .state = state, .nodes = nodes, .separator = "", .progress = *progress};
    for (const char *line = viewer_page_html; *line;) {
        const char *end = strchr(line, '\n');
        size_t size = end ? (size_t)(end - line) + 1 : strlen(line);
        put_line(&writing, line, size);
        line += size;
    }
    return !writing.failed;
}
