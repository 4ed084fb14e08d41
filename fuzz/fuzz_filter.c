/* Any text at all, given to the parser of filters: it is refused with a place in the text, or
 * becomes a filter that can be bound to a model and leaves no more than there is. */
#include <stdlib.h>
#include <string.h>

#include "helpers/story.h"
#include "profile/model_trace.h"
#include "profile/selection.h"
#include "profile/series.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* The model of a trace of seven blocks; made once. */
static const struct model *story_model(void)
{
    static struct model *model;
    struct bytes bytes = {0};
    struct heaptap_reader *reader;
    struct heaptap_reader_options options = {.order = HEAPTAP_TRUE_ORDER};
    if (model)
        return model;
    story_write(&bytes);
    require(heaptap_reader_open_memory(&reader, bytes.items, bytes.size, &options, NULL) ==
                HEAPTAP_OK &&
            model_read(&model, reader, NULL) == HEAPTAP_OK);
    heaptap_reader_close(reader);
    bytes_release(&bytes);
    return model;
}

static void check_series(const struct matcher *matcher, const struct selection *selection)
{
    struct series series;
    require(series_init(&series, matcher, 0, 100001, 7));
    for (size_t i = 0; i < series.count; i++)
        require(series.steps[i].live.bytes >= 0 &&
                series.steps[i].live.bytes <= series.highest.bytes);
    require(series.highest.bytes <= 8.0 * ALL_BLOCKS);
    require(selection->profile.total.samples == 0 || selection->profile.total.events > 0);
    series_release(&series);
}

static void select_blocks(const struct filter *filter)
{
    struct matcher matcher;
    struct selection selection;
    struct heaptap_error error;
    size_t length = 0, text = strlen(filter->text);
    if (matcher_init(&matcher, story_model(), filter, &length, &error) != HEAPTAP_OK) {
        require(error.offset + length <= text);
        return;
    }
    require(selection_init(&selection, &matcher, filter, &(struct selection_options){0}, NULL));
    require(selection.profile.total.samples <= ALL_BLOCKS);
    check_series(&matcher, &selection);
    struct stack_tally before = selection.profile.total;
    require(selection_compact(&selection));
    stack_profile_finish(&selection.profile);
    require(selection.profile.total.samples == before.samples);
    selection_release(&selection);
    matcher_release(&matcher);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct filter filter;
    struct heaptap_error error;
    size_t length = 0;
    char *text = strndup((const char *)data, size);
    require(text);
    if (filter_parse(&filter, text, &length, &error) == HEAPTAP_OK) {
        select_blocks(&filter);
        filter_release(&filter);
    } else {
        require(error.status == HEAPTAP_BAD_ARGUMENT && *error.message &&
                error.offset <= strlen(text) && error.offset + length <= strlen(text) + 1);
    }
    free(text);
    return 0;
}
