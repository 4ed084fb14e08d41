/* The symbolizer on one file, at addresses read from standard input: the work of scripts that
 * compare it with addr2line and llvm-symbolizer, in answers and in speed.
 *
 *   bench_symbol [--names own|short|templates|full|raw] [--debug-dir DIR] [--quiet] FILE < ADDRESSES
 *
 * Prints for every address, in hexadecimal: the address, then a line "FUNCTION<tab>FILE:LINE" for
 * each frame, innermost first, then an empty line.  Ends with figures on standard error. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "symbol/symbolizer.h"

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static struct symbol_query *read_queries(size_t *count)
{
    struct symbol_query *queries = NULL;
    size_t room = 0;
    char line[256];
    for (*count = 0; fgets(line, sizeof line, stdin);) {
        if (*count == room) {
            room = room ? room * 2 : 4096;
            queries = reallocarray(queries, room, sizeof *queries);
            if (!queries)
                exit(1);
        }
        queries[(*count)++] = (struct symbol_query){.code = strtoull(line, NULL, 16)};
    }
    return queries;
}

static void print(const struct symbol_query *queries, const struct symbol_answer *answers,
                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("0x%" PRIx64 "\n", queries[i].code);
        for (size_t j = answers[i].count; j > 0; j--)
            printf("%s\t%s:%" PRIu32 "\n", answers[i].locations[j - 1].function,
                   answers[i].locations[j - 1].file, answers[i].locations[j - 1].line);
        putchar('\n');
    }
}

static enum symbol_names names_of(const char *text)
{
    static const char *const names[] = {"own", "short", "templates", "full", "raw"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(text, names[i]))
            return (enum symbol_names)i;
    fprintf(stderr, "bench_symbol: unknown names '%s'\n", text);
    exit(2);
}

int main(int argc, char **argv)
{
    struct symbolizer_options options = {0};
    const char *directories[16], *path = NULL;
    bool quiet = false;
    options.debug_dirs = directories;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quiet"))
            quiet = true;
        else if (!strcmp(argv[i], "--names") && i + 1 < argc)
            options.names = names_of(argv[++i]);
        else if (!strcmp(argv[i], "--debug-dir") && i + 1 < argc && options.debug_dir_count < 16)
            directories[options.debug_dir_count++] = argv[++i];
        else
            path = argv[i];
    }
    if (!path) {
        fprintf(
            stderr,
            "usage: bench_symbol [--names KIND] [--debug-dir DIR] [--quiet] FILE < ADDRESSES\n");
        return 2;
    }
    struct heaptap_error error;
    struct symbolizer *symbolizer;
    size_t count, note_count;
    struct symbol_query *queries = read_queries(&count);
    struct symbol_answer *answers = calloc(count ? count : 1, sizeof *answers);
    double start = now();
    if (!answers || symbolizer_new(&symbolizer, &options, &error) != HEAPTAP_OK ||
        symbolizer_add_file(symbolizer, path, &error) != HEAPTAP_OK ||
        symbolizer_resolve(symbolizer, queries, count, answers, &error) != HEAPTAP_OK) {
        fprintf(stderr, "bench_symbol: %s\n", error.message);
        return 1;
    }
    double seconds = now() - start;
    if (!quiet)
        print(queries, answers, count);
    const struct symbol_note *notes = symbolizer_notes(symbolizer, &note_count);
    for (size_t i = 0; i < note_count; i++)
        fprintf(stderr, "note: %s %s\n", notes[i].module, notes[i].text);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr, "%zu addresses, %.3f s, %.0f addresses/s, peak %ld MiB\n", count, seconds,
            (double)count / seconds, usage.ru_maxrss / 1024);
    symbolizer_free(symbolizer);
    free(answers);
    free(queries);
    return 0;
}
