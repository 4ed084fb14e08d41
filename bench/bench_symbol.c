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

enum { DEBUG_DIRS_MOST = 16 };

struct words {
    struct symbolizer_options options;
    const char *directories[DEBUG_DIRS_MOST];
    const char *path; /* NULL: not given */
    bool quiet;
};

static void take_words(struct words *words, int argc, char **argv)
{
    struct symbolizer_options *options = &words->options;
    *words = (struct words){.options.debug_dirs = words->directories};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quiet"))
            words->quiet = true;
        else if (!strcmp(argv[i], "--names") && i + 1 < argc)
            options->names = names_of(argv[++i]);
        else if (!strcmp(argv[i], "--debug-dir") && i + 1 < argc &&
                 options->debug_dir_count < DEBUG_DIRS_MOST)
            words->directories[options->debug_dir_count++] = argv[++i];
        else
            words->path = argv[i];
    }
    if (words->path)
        return;
    fprintf(stderr,
            "usage: bench_symbol [--names KIND] [--debug-dir DIR] [--quiet] FILE < ADDRESSES\n");
    exit(2);
}

static void print_notes(const struct symbolizer *symbolizer)
{
    size_t count;
    const struct symbol_note *notes = symbolizer_notes(symbolizer, &count);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "note: %s %s\n", notes[i].module, notes[i].text);
}

static void print_costs(size_t count, double seconds)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr, "%zu addresses, %.3f s, %.0f addresses/s, peak %ld MiB\n", count, seconds,
            (double)count / seconds, usage.ru_maxrss / 1024);
}

int main(int argc, char **argv)
{
    struct words words;
    struct heaptap_error error;
    struct symbolizer *symbolizer;
    size_t count;
    take_words(&words, argc, argv);
    struct symbol_query *queries = read_queries(&count);
    struct symbol_answer *answers = calloc(count ? count : 1, sizeof *answers);
    double start = now();
    if (!answers || symbolizer_new(&symbolizer, &words.options, &error) != HEAPTAP_OK ||
        symbolizer_add_file(symbolizer, words.path, &error) != HEAPTAP_OK ||
        symbolizer_resolve(symbolizer, queries, count, answers, &error) != HEAPTAP_OK) {
        fprintf(stderr, "bench_symbol: %s\n", error.message);
        return 1;
    }
    double seconds = now() - start;
    if (!words.quiet)
        print(queries, answers, count);
    print_notes(symbolizer);
    print_costs(count, seconds);
    symbolizer_free(symbolizer);
    free(answers);
    free(queries);
    return 0;
}
