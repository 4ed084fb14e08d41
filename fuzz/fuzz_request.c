/* Any text at all as the Host and the URL of a request to the viewer's server: whatever is accepted
 * is answered from two small traces, in JSON, or refused with a sentence. */
#include <stdlib.h>
#include <string.h>

#include "base/url.h"
#include "helpers/story.h"
#include "profile/model_trace.h"
#include "page/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static struct viewer_dataset *story_dataset(void)
{
    struct bytes bytes = {0};
    struct heaptap_reader *reader;
    struct heaptap_reader_options options = {.order = HEAPTAP_TRUE_ORDER};
    struct model *model;
    story_write(&bytes);
    require(heaptap_reader_open_memory(&reader, bytes.items, bytes.size, &options, NULL) ==
            HEAPTAP_OK);
    require(model_read(&model, reader, NULL) == HEAPTAP_OK);
    heaptap_reader_close(reader);
    bytes_release(&bytes);
    struct viewer_dataset *dataset = viewer_dataset_new(model, "story.ctf", NULL);
    require(dataset);
    return dataset;
}

/* Sources, of which only those are ever asked for that the trace names. */
static char **story_lines(void *context, const char *file, size_t *count)
{
    static char first[] = "int main(void)", second[] = "\"<\\\t\x01";
    static char *lines[] = {first, second, first};
    static const char *const names[] = {"main.ml", "list.ml", "helper.ml", "stubs.c", "ext.c"};
    bool is_named = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_named |= strcmp(file, names[i]) == 0;
    require(is_named);
    *count = sizeof lines / sizeof *lines;
    return file[0] == 'm' || file[0] == 'l' ? lines : NULL;
}

static const struct viewer_state *story_state(void)
{
    static struct viewer_dataset *files[1];
    static const struct viewer_sources sources = {story_lines, NULL};
    static struct viewer_state state = {.name = "story.ctf", .files = files, .sources = &sources};
    if (!files[0]) {
        files[0] = story_dataset();
        state.base = story_dataset();
        state.file_count = 1;
    }
    return &state;
}

/* One object, and strings in it that end: as far as can be told without a parser. */
static void check_json(const struct net_answer *answer)
{
    bool is_string = false;
    int depth = 0;
    for (size_t i = 0; i < answer->size; i++) {
        char character = answer->text[i];
        require((unsigned char)character >= 0x20 || character == '\n');
        if (is_string && character == '\\')
            i++;
        else if (character == '"')
            is_string = !is_string;
        else if (!is_string)
            depth +=
                (character == '{' || character == '[') - (character == '}' || character == ']');
        require(depth > 0 || i + 2 >= answer->size);
    }
    require(!is_string && depth == 0);
}

static void check_url(const char *url)
{
    struct viewer_request request;
    struct heaptap_error error = {.message = ""};
    enum viewer_verdict verdict = viewer_request_parse(&request, url, &error);
    require(verdict == VIEWER_FINE || *error.message);
    if (verdict != VIEWER_FINE || request.subject < VIEWER_ABOUT)
        return;
    struct net_answer answer = viewer_answer_make(story_state(), &request);
    require(answer.text);
    check_json(&answer);
    free(answer.text);
}

/* The first line is the Host, the rest the URL. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    require(text);
    memcpy(text, data, size);
    text[size] = 0;
    char *url = strchr(text, '\n');
    if (url) {
        *url++ = 0;
        if (url_host_is_own(text, 8080))
            require(strcasecmp(text, "localhost:8080") == 0 ||
                    strcmp(text, "127.0.0.1:8080") == 0 || strcmp(text, "[::1]:8080") == 0);
        check_url(url);
    }
    free(text);
    return 0;
}
