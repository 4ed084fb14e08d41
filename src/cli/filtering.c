#include "cli/filtering.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/lack.h"
#include "profile/unmatched.h"

/* Of a part of the text as it is shown. */
static size_t shown_width(const char *text, size_t size)
{
    char *part = strndup(text, size);
    size_t width = part ? utf8_width(plain(part)) : 0;
    free(part);
    return width;
}

void filtering_tell(const char *text, size_t offset, size_t length, const char *message)
{
    cli_warn("filter: %s", message);
    size_t size = strlen(text);
    offset = offset < size ? offset : size;
    length = length < size - offset ? length : size - offset;
    fprintf(stderr, "    %s\n    %*s", plain(text), (int)shown_width(text, offset), "");
    for (size_t i = shown_width(text + offset, length); i > 1; i--)
        fputc('^', stderr);
    fputs("^\n", stderr);
}

bool filtering_fail(const struct heaptap_error *error, const char *text, size_t length, int *status)
{
    if (error->status == HEAPTAP_NO_MEMORY)
        return cli_fail_memory(status);
    filtering_tell(text, (size_t)error->offset, length, error->message);
    *status = CLI_USAGE;
    return false;
}

int filtering_status(const struct filter *filter, const struct heaptap_error *error, size_t length)
{
    int status;
    filtering_fail(error, filter->text, length, &status);
    return status;
}

void filtering_note_empty(const char *subject)
{
    lack_remark(subject, UNMATCHED_NOTHING);
}

void filtering_note(const char *subject, const struct model *model, const struct filter *filter,
                    bool leaves_nothing)
{
    struct text text = {0};
    bool is_told = unmatched_put_remark(&text, model, filter, leaves_nothing);
    text_put_char(&text, 0);
    if (is_told && !text.failed)
        lack_remark(subject, text.bytes);
    else if (leaves_nothing)
        filtering_note_empty(subject);
    text_release(&text);
}

/* Before the file is read: a wrong filter needs no waiting. */
bool filtering_parse(struct filter *filter, const struct text *clauses, int *status)
{
    struct heaptap_error error;
    size_t length = 1;
    char *text =
        clauses->failed ? NULL : strndup(clauses->size > 0 ? clauses->bytes : "", clauses->size);
    if (!text)
        return cli_fail_memory(status);
    bool done = filter_parse(filter, text, &length, &error) == HEAPTAP_OK ||
                filtering_fail(&error, text, length, status);
    free(text);
    return done;
}

int filtering_run(struct question *options,
                  int (*show)(const void *context, const struct filter *filter),
                  const void *context)
{
    struct filter filter;
    int status;
    if (filtering_parse(&filter, &options->filter, &status)) {
        status = show(context, &filter);
        filter_release(&filter);
    }
    question_release(options);
    return status;
}

bool filtering_match(struct matcher *matcher, const struct model *model,
                     const struct filter *filter, int *status)
{
    struct heaptap_error error;
    size_t length = 1;
    return matcher_init(matcher, model, filter, &length, &error) == HEAPTAP_OK ||
           filtering_fail(&error, filter->text, length, status);
}
