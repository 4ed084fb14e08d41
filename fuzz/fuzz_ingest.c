/* Any text at all as a request to heaptap fleet serve: the first line is its method and URL, the second is not looked at, the rest is its
 * body.  What is taken is in a store that holds together; what is not is refused with a sentence. */
#include <stdlib.h>
#include <string.h>

#include "fleet/ingest/symbols.h"
#include "fleet/ingest/taking.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* The next line, ended by a 0; the rest goes on after it. */
static char *line_of(char **rest, char *end)
{
    char *line = *rest, *newline = memchr(line, '\n', (size_t)(end - line));
    if (newline)
        *newline = 0;
    *rest = newline ? newline + 1 : end;
    return line;
}

/* As the server does: read by one thread, added by another. */
static unsigned read_and_add(struct ingest_taking *taking, const struct ingest_request *request,
                             const uint8_t *body, size_t size, bool *is_new,
                             struct heaptap_error *error)
{
    struct ingest_taken taken;
    unsigned status =
        ingest_read(taking, body, size, taking->limits.unpacked_bytes, NULL, &taken, error);
    if (status != 200)
        return status;
    status = ingest_add(taking, request, &taken, is_new, error);
    ingest_taken_release(&taken);
    return status;
}

static void take(const struct ingest_request *request, const uint8_t *body, size_t size)
{
    struct ingest_taking taking = {.limits = ingest_limits_usual()};
    struct heaptap_error error = {.message = ""};
    struct store_figures figures;
    bool is_new = false;
    taking.limits.unpacked_bytes = 1 << 20;
    taking.limits.age_us = INT64_MAX / 2;
    require(store_open(&taking.store, ":memory:", STORE_INIT, &error) == HEAPTAP_OK);
    require(ingest_symbols_new(&taking.symbols, NULL, NULL, &error) == HEAPTAP_OK);
    unsigned status = read_and_add(&taking, request, body, size, &is_new, &error);
    require(status == 200 ? is_new : status >= 400 && *error.message);
    if (status == 200) {
        require(store_check(taking.store, &figures, &error) == HEAPTAP_OK);
        require(figures.profiles == 1 && figures.series == 1);
        require(read_and_add(&taking, request, body, size, &is_new, &error) == 200);
        require(!is_new);
    }
    ingest_symbols_free(taking.symbols);
    store_close(taking.store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ingest_request request;
    struct heaptap_error error = {.message = ""};
    char *text = malloc(size + 1);
    require(text);
    memcpy(text, data, size);
    text[size] = 0;
    char *rest = text, *end = text + size, *method = line_of(&rest, end);
    line_of(&rest, end);
    char *space = strchr(method, ' ');
    if (space) {
        *space = 0;
        unsigned status = ingest_request_parse(&request, method, space + 1, &error);
        require(status == 200 || *error.message);
        if (status == 200 && (request.path == INGEST_PROFILES || request.path == INGEST_PYROSCOPE))
            take(&request, (const uint8_t *)rest, (size_t)(end - rest));
    }
    free(text);
    return 0;
}
