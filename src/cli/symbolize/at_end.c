#include "cli/symbolize/at_end.h"

#include <stdint.h>
#include <string.h>

#include "cli/symbolize/lookup.h"
#include "base/property.h"

static bool is_unnamed(const struct heaptap_reader *reader)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    const char *names = property_text(records, count, "names");
    return names && strcmp(names, "addresses") == 0;
}

static void name_frames(struct heaptap_reader *reader, const struct lookup *lookup)
{
    for (uint32_t frame = 0; frame < lookup->seen; frame++) {
        uint32_t query = lookup->query_of[frame];
        const struct symbol_answer *found =
            query < lookup->query_count ? &lookup->answers[query] : NULL;
        if (found && found->count > 0 && found->count <= HEAPTAP_LOCATIONS_MAX &&
            !frames_rename(&reader->frames, frame, found->locations, found->count))
            return;
    }
}

/* Where memory runs out, frames stay addresses. */
static void name(struct heaptap_reader *reader)
{
    struct lookup lookup = {0};
    struct symbolizer *symbolizer;
    if (symbolizer_new(&symbolizer, NULL, NULL) != HEAPTAP_OK)
        return;
    if (lookup_frames(&lookup, symbolizer, reader))
        name_frames(reader, &lookup);
    lookup_release(&lookup);
    symbolizer_free(symbolizer);
}

static void end(struct heaptap_reader *reader, void *context)
{
    growing_end(reader, (enum trace_growth)(uintptr_t)context);
}

static void end_with_names(struct heaptap_reader *reader, void *context)
{
    enum trace_growth growth = (enum trace_growth)(uintptr_t)context;
    growing_end(reader, growth);
    if (growth >= TRACE_MAY_GROW || reader->walk.has_regions || is_unnamed(reader))
        name(reader);
}

void symbolize_at_end(struct heaptap_reader *reader, enum trace_growth growth, bool stays_unnamed)
{
    reader->ending = (struct reader_ending){.told = stays_unnamed ? end : end_with_names,
                                            .context = (void *)(uintptr_t)growth};
}
