#include "fleet/shown.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "profile/list/rows.h"

static void clear(struct fleet_shown *shown)
{
    free(shown->of);
    free(shown->against);
    viewer_dataset_free(shown->file);
    viewer_dataset_free(shown->base);
    *shown = (struct fleet_shown){0};
}

/* ---- Reading ------------------------------------------------------------------------- */

static void put_moment(struct text *text, const char *before, int64_t us)
{
    char moment[48];
    time_t seconds = (time_t)(us / 1000000);
    struct tm parts;
    text_put_string(text, before);
    if (gmtime_r(&seconds, &parts) && strftime(moment, sizeof moment, "%F %T", &parts) > 0)
        text_put_string(text, moment);
}

/* "service=api, 2026-11-23 11:38:58 to 2026-11-23 16:21:44 UTC". */
static void put_words(struct text *text, const struct store_selector *selector)
{
    struct store_selector all = store_selector_all();
    for (size_t i = 0; i < selector->count; i++) {
        const struct store_match *match = &selector->matches[i];
        text_put_string(text, i > 0 ? " " : "");
        text_put_string(text, match->label.key);
        text_put_string(text, match->differs ? "!=" : "=");
        text_put_string(text, match->label.value);
    }
    if (selector->count == 0)
        text_put_string(text, "all services");
    if (selector->after_us != all.after_us)
        put_moment(text, ", ", selector->after_us);
    if (selector->until_us != all.until_us)
        put_moment(text, " to ", selector->until_us);
    if (selector->after_us != all.after_us || selector->until_us != all.until_us)
        text_put_string(text, " UTC");
}

/* `lack`, "" for nothing, is what the choice is without. */
static struct viewer_dataset *new_dataset(struct model *model,
                                          const struct store_selector *selector, const char *lack)
{
    struct text name = {0};
    put_words(&name, selector);
    if (*lack)
        text_put_string(&name, ": ");
    text_put_string(&name, lack);
    text_put_char(&name, 0);
    struct viewer_dataset *dataset = NULL;
    if (name.failed)
        model_free(model);
    else
        dataset = viewer_dataset_new(model, name.bytes, NULL);
    text_release(&name);
    return dataset;
}

static enum heaptap_status read_choice(struct viewer_dataset **made, struct store *store,
                                       const char *selection, struct store_selector *selector,
                                       struct heaptap_error *error)
{
    char lack[STORE_LACK_BYTES];
    struct model *model = NULL;
    *selector = store_selector_all();
    enum heaptap_status status =
        store_selector_parse(selector, selection, (int64_t)time(NULL) * 1000000, error);
    if (status == HEAPTAP_OK)
        status = store_read(store, selector, false, &model, error);
    if (status != HEAPTAP_OK)
        return status;
    store_lack(store, lack);
    if (profile_to_rows(model))
        *made = new_dataset(model, selector, lack);
    else
        model_free(model);
    return *made ? HEAPTAP_OK : error_no_memory(error);
}

/* The way up from the viewer's address, which has two parts for each choice. */
static void set_home(struct fleet_shown *shown, const struct store_selector *selector)
{
    struct store_selector all = store_selector_all();
    char time[64] = "";
    if (selector->after_us != all.after_us && selector->until_us != all.until_us)
        snprintf(time, sizeof time, "?time=%" PRId64 "..%" PRId64, selector->after_us / 1000000,
                 selector->until_us / 1000000);
    snprintf(shown->home, sizeof shown->home, "%s%s", shown->base ? "../../../../" : "../../",
             time);
}

/* Fills an empty place, which stays empty on failure. */
static enum heaptap_status fill(struct fleet_shown *shown, struct store *store,
                                const struct fleet_request *request, struct heaptap_error *error)
{
    struct store_selector selector, other;
    enum heaptap_status status = read_choice(&shown->file, store, request->of, &selector, error);
    if (status == HEAPTAP_OK && request->has_base)
        status = read_choice(&shown->base, store, request->against, &other, error);
    shown->of = strdup(request->of);
    shown->against = request->has_base ? strdup(request->against) : NULL;
    if (status == HEAPTAP_OK && (!shown->of || (request->has_base && !shown->against)))
        status = error_no_memory(error);
    if (status != HEAPTAP_OK) {
        clear(shown);
        return status;
    }
    shown->files[0] = shown->file;
    shown->read_s = clock_us(CLOCK_MONOTONIC) / 1000000;
    set_home(shown, &selector);
    return HEAPTAP_OK;
}

/* ---- Keeping ------------------------------------------------------------------------- */

static bool is_asked_for(const struct fleet_shown *shown, const struct fleet_request *request)
{
    return shown->of && strcmp(shown->of, request->of) == 0 &&
           (shown->against != NULL) == request->has_base &&
           (!request->has_base || strcmp(shown->against, request->against) == 0);
}

enum heaptap_status fleet_shows_find(struct fleet_shows *shows, struct store *store,
                                     const struct fleet_request *request, bool begins,
                                     struct fleet_shown **shown, struct heaptap_error *error)
{
    struct fleet_shown *place = &shows->kept[0];
    for (int i = 0; i < FLEET_SHOWN_MAX; i++) {
        struct fleet_shown *kept = &shows->kept[i];
        if (is_asked_for(kept, request)) {
            place = kept;
            break;
        }
        place = kept->used < place->used ? kept : place;
    }
    bool is_old =
        begins && clock_us(CLOCK_MONOTONIC) / 1000000 - place->read_s >= FLEET_SHOWN_SECONDS;
    enum heaptap_status status = HEAPTAP_OK;
    if (!is_asked_for(place, request) || is_old) {
        clear(place);
        status = fill(place, store, request, error);
    }
    if (status == HEAPTAP_OK)
        place->used = ++shows->clock;
    *shown = place;
    return status;
}

struct viewer_state fleet_shown_state(struct fleet_shown *shown)
{
    return (struct viewer_state){.name = shown->file->name,
                                 .files = shown->files,
                                 .file_count = 1,
                                 .base = shown->base,
                                 .generation = (unsigned)shown->read_s,
                                 .home = shown->home};
}

void fleet_shows_release(struct fleet_shows *shows)
{
    for (int i = 0; i < FLEET_SHOWN_MAX; i++)
        clear(&shows->kept[i]);
}
