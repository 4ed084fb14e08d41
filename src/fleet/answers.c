#include "fleet/answers.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "answer/json.h"
#include "fleet/regressions.h"
#include "fleet/services.h"
#include "answer/forms.h"
#include "report/reports.h"

enum { VALUES_MAX = 200 }; /* of a label, to choose from */

static enum heaptap_status select_of(struct store_selector *selector, const char *text,
                                     struct heaptap_error *error)
{
    *selector = store_selector_all();
    return store_selector_parse(selector, text, (int64_t)time(NULL) * 1000000, error);
}

/* NULL when there is no memory. */
static struct answer *begin_answer(FILE *file, const struct store *store)
{
    char lack[STORE_LACK_BYTES];
    struct answer *answer = json_answer_shown(file, "");
    store_lack(store, lack);
    if (answer && *lack)
        answer_lacks(answer, lack);
    return answer;
}

static enum heaptap_status end_answer(struct answer *answer, struct heaptap_error *error)
{
    return answer && answer_close(answer) ? HEAPTAP_OK : error_no_memory(error);
}

/* ---- What there is -------------------------------------------------------------------------- */

struct listing {
    struct json json;
    char key[256]; /* whose values are being listed; "" before the first */
    int values;
};

static void end_key(struct listing *listing)
{
    if (!*listing->key)
        return;
    json_end(&listing->json);
    json_put_bool(&listing->json, "more", listing->values > VALUES_MAX);
    json_end(&listing->json);
}

static void put_label(void *context, const char *key, const char *value)
{
    struct listing *listing = context;
    if (strcmp(listing->key, key) != 0) {
        end_key(listing);
        snprintf(listing->key, sizeof listing->key, "%s", key);
        listing->values = 0;
        json_begin_object(&listing->json);
        json_put_string(&listing->json, "label", key);
        json_key(&listing->json, "values");
        json_begin_array(&listing->json);
    }
    if (listing->values++ < VALUES_MAX)
        json_text(&listing->json, value);
}

/* The members that the page looks at first are those of a viewer's. */
static enum heaptap_status put_about(FILE *file, struct store *store, const char *name,
                                     struct heaptap_error *error)
{
    struct listing listing = {0};
    int64_t from_us = 0, until_us = 0;
    enum heaptap_status status = store_span(store, &from_us, &until_us, error);
    json_init_compact(&listing.json, file);
    listing.json.shown = true;
    json_begin_object(&listing.json);
    json_put_string(&listing.json, "name", name);
    json_put_string(&listing.json, "state", "fleet");
    json_put_int(&listing.json, "from_us", from_us);
    json_put_int(&listing.json, "until_us", until_us);
    json_key(&listing.json, "labels");
    json_begin_array(&listing.json);
    if (status == HEAPTAP_OK)
        status = store_each_label(store, put_label, &listing, error);
    end_key(&listing);
    json_end(&listing.json);
    json_end(&listing.json);
    return status;
}

/* ---- Services ------------------------------------------------------------------------ */

static enum heaptap_status put_services(FILE *file, struct store *store,
                                        const struct fleet_request *request,
                                        struct heaptap_error *error)
{
    const struct question *question = &request->question;
    const struct services_question *own = (const struct services_question *)question->own;
    struct services services = {.options = question,
                                .store = request->of,
                                .label = own->label,
                                .through = own->through,
                                .steps = (size_t)own->steps};
    struct store_selector selector;
    enum heaptap_status status = select_of(&selector, request->of, error);
    if (status == HEAPTAP_OK && !label_is_key(services.label, strlen(services.label)))
        status =
            error_set(error, HEAPTAP_BAD_ARGUMENT, "'%.60s' is no name of a label", services.label);
    if (status == HEAPTAP_OK)
        status = fleet_services_read(&services, store, &selector, error);
    if (status == HEAPTAP_OK) {
        struct answer *answer = begin_answer(file, store);
        if (answer)
            services_put(answer, &services);
        status = end_answer(answer, error);
    }
    fleet_services_release(&services);
    return status;
}

/* ---- Regressions --------------------------------------------------------------------- */

static enum heaptap_status read_side(struct fleet_comparison *comparison, int side,
                                     const struct question *question, struct store *store,
                                     struct heaptap_error *error)
{
    struct store_selector selector;
    enum heaptap_status status =
        select_of(&selector, side == 0 ? question->path : question->other, error);
    return status == HEAPTAP_OK
               ? fleet_regressions_read(comparison, side, question, store, &selector, error)
               : status;
}

static enum heaptap_status put_regressions(FILE *file, struct store *store,
                                           const struct fleet_request *request,
                                           struct heaptap_error *error)
{
    struct question question = request->question;
    struct fleet_comparison comparison = {0};
    struct regressions regressions;
    question.path = request->against;
    question.other = request->of;
    enum heaptap_status status = read_side(&comparison, 0, &question, store, error);
    if (status == HEAPTAP_OK)
        status = read_side(&comparison, 1, &question, store, error);
    if (status == HEAPTAP_OK && !fleet_regressions_find(&regressions, &comparison, &question))
        status = error_no_memory(error);
    if (status == HEAPTAP_OK) {
        struct answer *answer = begin_answer(file, store);
        if (answer)
            regressions_put(answer, &regressions);
        status = end_answer(answer, error);
    }
    fleet_regressions_release(&comparison);
    return status;
}

enum heaptap_status fleet_answer_put(FILE *file, struct store *store, const char *name,
                                     const struct fleet_request *request,
                                     struct heaptap_error *error)
{
    switch (request->subject) {
    case FLEET_ABOUT:
        return put_about(file, store, name, error);
    case FLEET_SERVICES:
        return put_services(file, store, request, error);
    default:
        return put_regressions(file, store, request, error);
    }
}
