#include "cli/parse.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/array.h"
#include "base/error.h"
#include "base/near.h"
#include "base/plain.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/complete.h"
#include "cli/option_rows.h"

/* The long options of a command. */
struct option_names {
    const char **items;
    size_t count, capacity;
    size_t own; /* how many of them the command has; synonyms follow */
};

static struct option_names known; /* near_word's function has no context */

static const char *known_at(size_t i)
{
    return known.items[i];
}

static void add(const char *name)
{
    if (name && ARRAY_RESERVE(&known.items, &known.capacity, known.count + 1))
        known.items[known.count++] = name;
}

/* Is it an option, or the beginning of one, which getopt takes or calls ambiguous? */
static bool is_known(const char *name, size_t size)
{
    for (size_t i = 0; i < known.own; i++)
        if (strncmp(known.items[i], name, size) == 0)
            return true;
    return false;
}

/* Words that mean the same in all commands: each takes the one that it knows. */
static const char *const synonyms[][2] = {{"top", "node-count"}};

static void add_synonyms(void)
{
    known.own = known.count;
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
        for (int side = 0; side < 2; side++)
            if (is_known(synonyms[i][side], strlen(synonyms[i][side])))
                add(synonyms[i][!side]);
}

/* The other of two synonyms. */
static const char *synonym_for(const char *word)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
        for (int side = 0; side < 2; side++)
            if (strcmp(synonyms[i][side], word) == 0)
                return synonyms[i][!side];
    return word;
}

/* The option's word in this command, where it is known by another; NULL where there is none. */
static const char *synonym_of(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
        for (int side = 0; side < 2; side++) {
            const char *word = synonyms[i][side], *other = synonyms[i][!side];
            if (strlen(word) == size && strncmp(word, name, size) == 0 &&
                is_known(other, strlen(other)))
                return other;
        }
    return NULL;
}

/* `word` with another option's name, malloc'ed: argp keeps pointers into arguments for as long as the command runs.  What getopt says of a
 * value that lacks would have the other name in it. */
static char *renamed(const char *word, const char *other, size_t size, bool is_last)
{
    if (is_last && !word[2 + size]) {
        cli_warn("option '%s' requires an argument", word);
        exit(CLI_USAGE);
    }
    option_rows_call(other, synonym_for(other));
    char *text = text_format("--%s%s", other, word + 2 + size);
    if (!text)
        exit(cli_out_of_memory());
    return text;
}

/* A word that begins with -- is an option wherever it is, but after an option that takes a value apart from it; such a
 * value is left alone, as no value that begins with -- is near an option's name unless it is meant to be one. */
static char *checked(char *word, bool is_last)
{
    const char *name = word + 2;
    size_t size = strcspn(name, "=");
    if (is_known(name, size))
        return word;
    const char *other = synonym_of(name, size);
    if (other)
        return renamed(word, other, size, is_last);
    const char *near = near_word(name, size, known_at, known.count);
    if (!near)
        return word;
    cli_warn("there is no option '%.*s'; did you mean --%s?", (int)(size + 2), word, near);
    exit(CLI_USAGE);
}

/* What getopt and argp say has arguments in it as they were given: it goes to the terminal plainly. */
static ssize_t write_plain(void *cookie, const char *bytes, size_t size)
{
    char *text = strndup(bytes, size);
    if (!text)
        return 0;
    fputs(plain_as(text, PLAIN_KEEP_LINES | PLAIN_KEEP_TABS), cookie);
    free(text);
    return (ssize_t)size;
}

static void parse_plainly(const struct argp *argp, int argc, char **argv, unsigned flags,
                          void *input)
{
    FILE *whole = stderr,
         *shown = fopencookie(stderr, "w", (cookie_io_functions_t){.write = write_plain});
    if (shown)
        setvbuf(shown, NULL, _IOLBF, 0);
    stderr = shown ? shown : whole;
    argp_parse(argp, argc, argv, flags, NULL, input);
    stderr = whole;
    if (shown)
        fclose(shown);
}

/* ---- Options that make another command ----------------------------------------------- */

static const struct question_option *variants; /* NULL for none */

void cli_parse_variants(const struct question_option *rows)
{
    variants = rows;
}

bool cli_refuse_variant(void *field, const char *value, struct heaptap_error *error)
{
    (void)field;
    (void)value;
    error_set(error, HEAPTAP_BAD_ARGUMENT, "must be written in full");
    return false;
}

/* ---- A file for the answer ------------------------------------------------------------ */

/* -o, where the answer has no file of its own: where it would go, `> FILE`, and who draws a picture. */
static void refuse_output(const char *word, const char *next)
{
    const char *file = begins_with(word, "-o") && word[2] ? word + 2
                       : strchr(word, '=')                ? strchr(word, '=') + 1
                                                          : next;
    if (file && (ends_with(file, ".svg") || ends_with(file, ".png")))
        cli_warn(
            "there is no picture for '%s'; graph, flamegraph, stats, timeline, tree and compare --long draw one",
            file);
    else
        cli_warn(
            "there is no option -o: what is written to standard output is put into a file by > %s",
            file ? file : "FILE");
    exit(CLI_USAGE);
}

static bool is_output(const char *word)
{
    return (begins_with(word, "-o") || begins_with(word, "--output")) && !is_known("output", 6);
}

/* ---- Parsing ------------------------------------------------------------------------- */

static void check_words(int argc, char **argv, unsigned flags)
{
    const struct question_option *option;
    known = (struct option_names){0};
    for (size_t i = 0; (option = option_rows_at(i)); i++)
        add(option->word);
    add("help");
    add("usage");
    add("version");
    add_synonyms();
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (is_output(argv[i]))
            refuse_output(argv[i], argv[i + 1]);
        else if (begins_with(argv[i], "--"))
            argv[i] = checked(argv[i], i + 1 == argc);
        else if (flags & ARGP_IN_ORDER && argv[i][0] != '-')
            break; /* what follows is another program's */
    }
    free(known.items);
}

void cli_parse(const struct question_option *rows, const struct command_line *line, int argc,
               char **argv, unsigned flags, void *input)
{
    const struct argp *whole = option_rows(rows, variants, line, input);
    if (argc == 2 && strcmp(argv[1], "--complete") == 0) {
        complete_print();
        exit(CLI_DONE);
    }
    check_words(argc, argv, flags);
    parse_plainly(whole, argc, argv, flags, input);
}

const struct question_option cli_output_rows[] = {
    {"output", 'o', OPTION_TEXT, 0, "FILE",
     "Write to FILE (.gz, .zst: compressed); - for standard output. Required",
     offsetof(struct cli_output_argument, path)},
    {"json", 0, OPTION_FLAG, 0, NULL, "Tell what was written, as JSON",
     offsetof(struct cli_output_argument, json)},
    {0}};

void cli_check_output(struct argp_state *state)
{
    const struct cli_output_argument *output = state->input;
    if (!(output->path && *output->path))
        argp_error(state, "no output file: use -o FILE");
    if (output->json && strcmp(output->path, "-") == 0)
        argp_error(state, "standard output can get the trace or --json, not both");
}
