#include "cli/record/pushing.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/path.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/token_file.h"
#include "fleet/push/query.h"

enum { SPOOL_MB = 64, END_SECONDS = 10 };

struct pushing {
    const struct continuous_options *options;
    char *url, *folder, *token;
    struct spool *spool;
    struct sender *sender;
    bool is_away, is_full; /* was said */
    bool is_said;          /* that something can't be put into the spool */
};

/* ---- Labels ------------------------------------------------------------------------- */

static void add_default(struct store_labels *labels, const char *key, const char *value)
{
    struct heaptap_error ignored;
    size_t size = strnlen(value, LABEL_VALUE_MAX);
    if (!store_labels_find(labels, key) &&
        store_labels_set(labels, key, strlen(key), value, size, &ignored) != HEAPTAP_OK)
        return; /* a name that is no text goes without */
}

static void add_defaults(struct store_labels *labels, const struct interval *interval)
{
    char text[HOST_NAME_MAX + 1];
    add_default(labels, "service", path_file(interval->program));
    if (gethostname(text, sizeof text) == 0)
        add_default(labels, "host", text);
    snprintf(text, sizeof text, "%u", interval->process->number);
    add_default(labels, "process", text);
}

/* ---- The spool ---------------------------------------------------------------------- */

/* One for each server, below the user's folder for the state of programs. */
static char *usual_folder(const char *url)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    unsigned long long hash = XXH3_64bits(url, strlen(url));
    if (state && *state == '/')
        return text_format("%s/heaptap/spool/%016llx", state, hash);
    if (home && *home == '/')
        return text_format("%s/.local/state/heaptap/spool/%016llx", home, hash);
    return text_format("/tmp/heaptap-%u/spool/%016llx", (unsigned)geteuid(), hash);
}

bool pushing_put(struct pushing *pushing, const struct interval *interval, const void *bytes,
                 size_t size)
{
    struct store_labels labels = pushing->options->labels;
    struct heaptap_error error;
    struct text query = {0};
    const struct profile_file *file = interval->model->file;
    int64_t until_ns = file->time_ns + file->duration_ns;
    add_defaults(&labels, interval);
    query_put(&query, pushing->url, &labels, file->time_ns, until_ns);
    text_put_char(&query, 0);
    bool done = !query.failed &&
                spool_put(pushing->spool, until_ns, query.bytes, bytes, size, &error) == HEAPTAP_OK;
    if (!done && !pushing->is_said) {
        cli_warn("%s: %s", pushing->folder, query.failed ? "out of memory" : error.message);
        pushing->is_said = true;
    }
    text_release(&query);
    sender_wake(pushing->sender);
    return done;
}

/* ---- What there is to say ----------------------------------------------------------- */

void pushing_tell(struct pushing *pushing)
{
    struct sender_state state;
    sender_look(pushing->sender, &state);
    if (state.fails != pushing->is_away) {
        if (state.fails)
            cli_warn("%s: %s; profiles wait in %s", pushing->url, state.message, pushing->folder);
        else
            cli_warn("%s: takes profiles again", pushing->url);
        pushing->is_away = state.fails;
    }
    if (!pushing->is_full && spool_count(pushing->spool).dropped > 0) {
        cli_warn("%s: full (--spool-size): from now on the oldest profiles are dropped",
                 pushing->folder);
        pushing->is_full = true;
    }
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

void pushing_end(struct pushing *pushing, bool quiet)
{
    struct sender_state state;
    sender_end(pushing->sender, END_SECONDS);
    sender_look(pushing->sender, &state);
    struct spool_counts counts = spool_count(pushing->spool);
    if (!quiet)
        fprintf(stderr, "%zu profile%s sent to %s\n", state.sent, plural(state.sent), pushing->url);
    if (state.refused > 0)
        cli_warn("%s: %zu profile%s refused: %s", pushing->url, state.refused,
                 state.refused == 1 ? " was" : "s were", state.message);
    if (counts.dropped > 0)
        cli_warn("%s: full (--spool-size): %zu of the oldest profiles %s dropped", pushing->folder,
                 counts.dropped, counts.dropped == 1 ? "was" : "were");
    if (counts.waiting > 0)
        cli_warn("%s: %s; %zu profile%s in %s until the next recording with this server",
                 pushing->url, state.fails ? state.message : "too slow", counts.waiting,
                 counts.waiting == 1 ? " waits" : "s wait", pushing->folder);
}

/* ---- Beginning ---------------------------------------------------------------------- */

static bool begin(struct pushing *pushing)
{
    const struct continuous_options *options = pushing->options;
    struct heaptap_error error;
    uint64_t bytes =
        options->spool_bytes > 0 ? (uint64_t)options->spool_bytes : (uint64_t)SPOOL_MB << 20;
    if (options->token_file && !(pushing->token = token_file_read(options->token_file)))
        return false;
    if (options->authorities && access(options->authorities, R_OK) != 0) {
        cli_warn("%s: cannot open: %s", options->authorities, strerror(errno));
        return false;
    }
    pushing->url = query_url(options->push);
    pushing->folder = pushing->url && !options->spool ? usual_folder(pushing->url)
                      : options->spool                ? strdup(options->spool)
                                                      : NULL;
    if (!pushing->url || !pushing->folder) {
        cli_out_of_memory();
        return false;
    }
    if (spool_open(&pushing->spool, pushing->folder, bytes, &error) != HEAPTAP_OK) {
        cli_warn("%s: %s", pushing->folder, error.message);
        return false;
    }
    if (sender_new(&pushing->sender, pushing->url, pushing->token, options->authorities,
                   pushing->spool, &error) == HEAPTAP_OK)
        return true;
    cli_warn("%s: %s", pushing->url, error.message);
    return false;
}

struct pushing *pushing_new(const struct continuous_options *options)
{
    struct pushing *pushing = calloc(1, sizeof *pushing);
    if (!pushing) {
        cli_out_of_memory();
        return NULL;
    }
    pushing->options = options;
    if (begin(pushing))
        return pushing;
    pushing_free(pushing);
    return NULL;
}

void pushing_start(struct pushing *pushing)
{
    if (!sender_start(pushing->sender))
        cli_warn("cannot send profiles: no thread can be made");
}

void pushing_free(struct pushing *pushing)
{
    if (!pushing)
        return;
    sender_free(pushing->sender);
    spool_close(pushing->spool);
    free(pushing->url);
    free(pushing->folder);
    free(pushing->token);
    free(pushing);
}
