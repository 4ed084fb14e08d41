#include "fleet/ingest/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/array.h"
#include "base/error.h"
#include "base/url.h"
#include "store/selector.h"

static const int64_t usual_every_us = 60000000, least_every_us = 1000000;

static bool is_url(const char *word)
{
    return (begins_with(word, "http://") || begins_with(word, "https://")) &&
           strcspn(strstr(word, "://") + 3, "/?") > 0 && url_has_good_port(strstr(word, "://") + 3);
}

static enum heaptap_status set_every(struct ingest_target *target, const char *text,
                                     struct heaptap_error *error)
{
    target->every_us = store_duration(text);
    return target->every_us >= least_every_us
               ? HEAPTAP_OK
               : error_set(error, HEAPTAP_BAD_INPUT,
                           "every= takes a time of a second or more, such as 30s, not '%.40s'",
                           text);
}

/* What stands behind the user and password of a URL: the host. */
static const char *host_of(const char *url)
{
    const char *host = strstr(url, "://") + 3;
    for (size_t i = strcspn(host, "/?"); i > 0; i--)
        if (host[i - 1] == '@')
            return host + i;
    return host;
}

static enum heaptap_status set_instance(struct ingest_target *target, struct heaptap_error *error)
{
    const char *host = host_of(target->url);
    return store_labels_find(&target->labels, "instance")
               ? HEAPTAP_OK
               : store_labels_set(&target->labels, "instance", strlen("instance"), host,
                                  strcspn(host, "/?"), error);
}

static enum heaptap_status set_url(struct ingest_target *target, const char *url,
                                   struct heaptap_error *error)
{
    size_t scheme = (size_t)(strstr(url, "://") + 3 - url);
    target->url = strdup(url);
    if (!target->url || asprintf(&target->shown, "%.*s%s", (int)scheme, url, host_of(url)) < 0) {
        target->shown = NULL;
        return error_no_memory(error);
    }
    return HEAPTAP_OK;
}

static enum heaptap_status take_word(struct ingest_target *target, const char *word,
                                     struct heaptap_error *error)
{
    if (target->url)
        return begins_with(word, "every=") ? set_every(target, word + 6, error)
                                           : store_labels_parse(&target->labels, word, error);
    if (!is_url(word))
        return error_set(error, HEAPTAP_BAD_INPUT,
                         "a line begins with a URL, http://HOST:PORT/PATH, not with '%.60s'", word);
    return set_url(target, word, error);
}

static enum heaptap_status take_line(struct ingest_targets *targets, char *line,
                                     struct heaptap_error *error)
{
    struct ingest_target target = {.every_us = usual_every_us};
    enum heaptap_status status = HEAPTAP_OK;
    char *rest = line;
    for (char *word; status == HEAPTAP_OK && (word = strtok_r(rest, " \t\r\n", &rest));)
        if (*word == '#')
            break;
        else
            status = take_word(&target, word, error);
    if (status == HEAPTAP_OK && target.url)
        status = set_instance(&target, error);
    if (status == HEAPTAP_OK && target.url) {
        if (!ARRAY_RESERVE(&targets->items, &targets->capacity, targets->count + 1)) {
            status = error_no_memory(error);
        } else {
            targets->items[targets->count++] = target;
            return HEAPTAP_OK;
        }
    }
    free(target.url);
    free(target.shown);
    return status;
}

enum heaptap_status ingest_targets_read(struct ingest_targets *targets, const char *path,
                                        struct heaptap_error *error)
{
    FILE *file = fopen(path, "re");
    struct heaptap_error wrong;
    char *line = NULL;
    size_t capacity = 0;
    enum heaptap_status status = HEAPTAP_OK;
    *targets = (struct ingest_targets){0};
    if (!file)
        return error_system(error, "cannot open");
    for (unsigned number = 1; status == HEAPTAP_OK && getline(&line, &capacity, file) >= 0;
         number++) {
        status = take_line(targets, line, &wrong);
        if (status == HEAPTAP_NO_MEMORY)
            *error = wrong;
        else if (status != HEAPTAP_OK)
            status = error_set(error, HEAPTAP_BAD_INPUT, "line %u: %s", number, wrong.message);
    }
    if (status == HEAPTAP_OK && ferror(file))
        status = error_system(error, "cannot read");
    else if (status == HEAPTAP_OK && targets->count == 0)
        status = error_set(error, HEAPTAP_BAD_INPUT, "there are no targets in it");
    free(line);
    fclose(file);
    if (status != HEAPTAP_OK)
        ingest_targets_release(targets);
    return status;
}

void ingest_targets_release(struct ingest_targets *targets)
{
    for (size_t i = 0; i < targets->count; i++) {
        free(targets->items[i].url);
        free(targets->items[i].shown);
    }
    free(targets->items);
    *targets = (struct ingest_targets){0};
}
