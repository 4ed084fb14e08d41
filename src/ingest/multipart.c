/* A form is its parts with a line --BOUNDARY before each and --BOUNDARY-- at the end.  A part is header lines, an empty line, and
 * its content, up to the line break before the next boundary. */
#include "ingest/multipart.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { BOUNDARY_MAX = 70, LINE_MAX_BYTES = 1024 };

static const char type[] = "multipart/form-data";

bool multipart_is(const char *content_type)
{
    return content_type && strncasecmp(content_type, type, strlen(type)) == 0;
}

/* "\r\n--" and the boundary; false where there is none. */
static bool find_boundary(char *boundary, const char *content_type)
{
    const char *at = strcasestr(content_type, "boundary=");
    if (!at)
        return false;
    at += strlen("boundary=");
    bool is_quoted = *at == '"';
    at += is_quoted;
    size_t size = strcspn(at, is_quoted ? "\"" : "; \t");
    if (size == 0 || size > BOUNDARY_MAX)
        return false;
    sprintf(boundary, "\r\n--%.*s", (int)size, at);
    return true;
}

/* Is there name="NAME" in the header lines? */
static bool is_called(const uint8_t *head, size_t size, const char *name)
{
    char lines[LINE_MAX_BYTES + 1], wanted[80];
    if (size > LINE_MAX_BYTES)
        return false;
    memcpy(lines, head, size);
    lines[size] = 0;
    snprintf(wanted, sizeof wanted, " name=\"%.60s\"", name);
    const char *field = strcasestr(lines, "content-disposition:");
    return field && strstr(field, wanted);
}

static const uint8_t *find(const uint8_t *from, const uint8_t *end, const char *text)
{
    return memmem(from, (size_t)(end - from), text, strlen(text));
}

bool multipart_find(const char *content_type, const uint8_t *body, size_t size, const char *name,
                    const uint8_t **part, size_t *part_size)
{
    char boundary[BOUNDARY_MAX + 8];
    const uint8_t *end = body + size;
    if (size == 0 || !multipart_is(content_type) || !find_boundary(boundary, content_type))
        return false;
    /* The first boundary may have no line before it. */
    size_t first = strlen(boundary) - 2;
    const uint8_t *at = size >= first && memcmp(body, boundary + 2, first) == 0
                            ? body + first
                            : find(body, end, boundary);
    while (at) {
        const uint8_t *head = at, *content = find(head, end, "\r\n\r\n");
        const uint8_t *next = content ? find(content + 2, end, boundary) : NULL;
        if (!next)
            return false;
        content += 4;
        if (content <= next && is_called(head, (size_t)(content - head), name)) {
            *part = content;
            *part_size = (size_t)(next - content);
            return true;
        }
        at = next + strlen(boundary);
    }
    return false;
}
