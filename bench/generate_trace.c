/* Makes a trace of any size, the same for the same arguments: input for the benchmarks.
 *
 *     generate_trace FILE SIZE [DOMAINS [SEED]]      SIZE in bytes: 200M, 1G
 *
 * It plays a program that walks up and down a tree of calls: from each function there are a few
 * calls that are taken often and many that are rare.  It allocates mostly small blocks, of which
 * most die young, some are promoted, and a few stay.  All domains play the same game from different
 * seeds, taking turns. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"
#include "heaptap/trace.h"

enum {
    DEPTH_MAX = 48,
    DEPTH_MIN = 6,
    YOUNG = 256,
    OLD = 4096,
    LAYERS = 12,
    LAYER_FUNCTIONS = 10,
    TURN = 1000,
    DOMAINS_MAX = 64
};

static const uint64_t CODE_BASE = 0x400000;

struct player {
    struct heaptap_domain *domain;
    struct random random;
    uint64_t stack[DEPTH_MAX]; /* codes, caller first */
    uint32_t depth;
    int64_t time_us;
    uint64_t young[YOUNG]; /* ids of blocks, a ring; what falls out dies or is promoted */
    uint64_t old[OLD];     /* promoted ones */
    uint64_t allocations;
};

static uint64_t below(struct player *player, uint64_t limit)
{
    return random_bits(&player->random) % limit;
}

/* A call from the function on top: one of three places mostly, one of twelve sometimes.  Calls go
 * to the layer of functions that belongs to the depth, so each function has a few thousand ways to
 * it, not millions. */
static uint64_t call_from(struct player *player)
{
    uint64_t caller = player->depth ? (player->stack[player->depth - 1] - CODE_BASE) / 256 : 0;
    uint64_t place = below(player, 16) ? below(player, 3) : below(player, 12);
    uint64_t layer = player->depth * LAYERS / DEPTH_MAX;
    uint64_t callee = layer * LAYER_FUNCTIONS + (caller * 7 + place * 3) % LAYER_FUNCTIONS;
    return CODE_BASE + callee * 256 + (caller % LAYER_FUNCTIONS) * 16 + place;
}

static void walk(struct player *player)
{
    uint64_t steps = below(player, 4);
    for (uint64_t i = 0; i < steps && player->depth > DEPTH_MIN && below(player, 2); i++)
        player->depth--;
    for (uint64_t i = 0; (i < steps || player->depth < DEPTH_MIN) && player->depth < DEPTH_MAX;
         i++) {
        uint64_t code = call_from(player);
        player->stack[player->depth++] = code;
    }
}

static uint64_t block_words(struct player *player)
{
    uint64_t kind = below(player, 1000);
    if (kind < 900)
        return 1 + below(player, 8);
    if (kind < 990)
        return 1 + below(player, 64);
    return 1 + below(player, kind < 999 ? 1024 : 100000);
}

/* A block falls out of the nursery: it dies, or takes the place of an old one. */
static void end_youth(struct player *player, uint64_t id)
{
    if (below(player, 8)) {
        heaptap_domain_collect(player->domain, player->time_us, id);
        return;
    }
    uint64_t *place = &player->old[below(player, OLD)];
    heaptap_domain_promote(player->domain, player->time_us, id);
    if (*place != UINT64_MAX)
        heaptap_domain_collect(player->domain, player->time_us, *place);
    *place = id;
}

static void play(struct player *player)
{
    walk(player);
    player->time_us += (int64_t)below(player, 3);
    uint64_t words = block_words(player), *place = &player->young[player->allocations++ % YOUNG];
    struct heaptap_allocation allocation = {
        .source = words > 256 ? HEAPTAP_MAJOR : HEAPTAP_MINOR,
        .length = words,
        .samples = 1,
        .stack = player->stack,
        .stack_length = player->depth,
        .direction = HEAPTAP_CALLER_FIRST,
        .shared = HEAPTAP_SHARED_UNKNOWN,
    };
    uint64_t id = heaptap_domain_alloc(player->domain, player->time_us, &allocation);
    if (words > 256) { /* major from the start: it lives for a while among the old ones */
        uint64_t *old = &player->old[below(player, OLD)];
        if (*old != UINT64_MAX)
            heaptap_domain_collect(player->domain, player->time_us, *old);
        *old = id;
        return;
    }
    if (player->allocations > YOUNG && *place != UINT64_MAX)
        end_youth(player, *place);
    *place = id;
}

static size_t describe(void *context, uint64_t code, struct heaptap_location *locations, size_t max)
{
    static char file[2][32], function[2][64];
    uint64_t callee = (code - CODE_BASE) / 256, count = callee % 5 == 0 ? 2 : 1;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t number = callee + (count - 1 - i) * LAYERS * LAYER_FUNCTIONS;
        snprintf(file[i], sizeof file[i], "src/module_%03llu.ml", (unsigned long long)number / 12);
        snprintf(function[i], sizeof function[i], "Module_%03llu.function_%llu",
                 (unsigned long long)number / 12, (unsigned long long)number);
        locations[i] =
            (struct heaptap_location){file[i], function[i], (uint32_t)(10 + (code & 255)), 4, 30};
    }
    return count;
}

static void start_players(struct player *players, unsigned count, struct heaptap_writer *writer,
                          uint64_t seed)
{
    for (unsigned i = 0; i < count; i++) {
        random_init(&players[i].random, seed * 1000 + i);
        players[i].time_us = 1600000000000000;
        for (unsigned k = 0; k < YOUNG; k++)
            players[i].young[k] = UINT64_MAX;
        for (unsigned k = 0; k < OLD; k++)
            players[i].old[k] = UINT64_MAX;
        if (heaptap_domain_new(&players[i].domain, writer, (uint16_t)i, NULL) != HEAPTAP_OK)
            exit(1);
    }
}

static void write_trace(int fd, double bytes, unsigned domains, uint64_t seed)
{
    struct heaptap_writer *writer;
    struct heaptap_error error;
    struct heaptap_trace_info info = {
        .version = 3,
        .sample_rate = 1.0 / 64,
        .word_bits = 64,
        .executable = "/usr/bin/example",
        .host = "example",
        .runtime_params = "s=256k",
        .context = "generated",
        .pid = 4242,
        .start_us = 1600000000000000,
    };
    struct heaptap_writer_options options = {.sink = heaptap_sink_fd(fd), .describe = describe};
    if (heaptap_writer_new(&writer, &info, &options, &error) != HEAPTAP_OK) {
        fprintf(stderr, "generate_trace: %s\n", error.message);
        exit(1);
    }
    struct player *players = calloc(domains, sizeof *players);
    if (!players)
        exit(1);
    start_players(players, domains, writer, seed);
    struct stat stat = {0};
    while ((double)stat.st_size < bytes && fstat(fd, &stat) == 0 && !heaptap_writer_errno(writer))
        for (unsigned i = 0; i < domains; i++)
            for (int turn = 0; turn < TURN; turn++)
                play(&players[i]);
    for (unsigned i = 0; i < domains; i++)
        heaptap_domain_free(players[i].domain);
    heaptap_writer_free(writer);
    free(players);
}

static bool parse_size(const char *text, double *bytes)
{
    char *end;
    *bytes = strtod(text, &end);
    for (const char *unit = "kMG"; *end && *unit; unit++) {
        *bytes *= 1e3;
        if (*end == *unit)
            return end[1] == 0;
    }
    return end != text && *end == 0;
}

int main(int argc, char **argv)
{
    double bytes;
    int domains = argc > 3 ? atoi(argv[3]) : 1;
    if (argc < 3 || argc > 5 || !parse_size(argv[2], &bytes) || domains < 1 ||
        domains > DOMAINS_MAX) {
        fprintf(stderr, "usage: generate_trace FILE SIZE [DOMAINS [SEED]]\n");
        return 2;
    }
    int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0) {
        perror(argv[1]);
        return 1;
    }
    write_trace(fd, bytes, (unsigned)domains, argc > 4 ? strtoull(argv[4], NULL, 10) : 1);
    return close(fd) == 0 ? 0 : 1;
}
