#include "cli/filter_help.h"

#include <stdio.h>

#include "profile/filter_words.h"

enum { HELP_AT = 21 };

static const char head[] =
    "A filter is a list of clauses, all of which must hold:  size>=1k live-at=peak focus=Parser\n"
    "Give it as --filter, or clause by clause after the trace; each clause is also an option.\n\n";

static const char *const titles[ABOUT_COUNT] = {
    [ABOUT_OBJECTS] = "Objects of a trace",
    [ABOUT_SAMPLES] = "Samples of a pprof profile",
    [ABOUT_STACKS] = "Stacks",
};

static const char tail[] =
    "                     A frame matches by its function, file or module; focus:function=,\n"
    "                     focus:file= and focus:module= match only one of these\n\n"
    "Operators: = and != (not); < <= > >= with times and quantities.\n"
    "TIME      1.5s, 20ms, 300us, 2min, 1h since the start; 50% of the trace; start, peak, end;\n"
    "          end-10s. peak is when most was alive, under any filter\n"
    "BYTES     100, 4k, 1.5MB, 2G (by 1024), 8w (words of 8 bytes)\n"
    "Ranges    LOW..HIGH, LOW.., ..HIGH: both ends included\n"
    "REGEX     as in Perl, anywhere in the name; case matters, unless it begins with (?i).\n"
    "          Put a value with spaces in quotes\n\n"
    "Examples\n"
    "  heaptap top app.ctf live-at=peak                      what the peak is made of\n"
    "  heaptap top app.ctf collected=never 'allocated>=10s'  never freed, of what came after 10 s\n"
    "  heaptap flamegraph app.ctf 'lifetime<1ms' 'size>=4k'  large blocks that live briefly\n"
    "  heaptap top app.ctf source=major focus:file=cache.ml  what one file put into the major heap\n"
    "\n"
    "`man heaptap-filters` explains more.\n";

/* "  size=BYTES         of the object", further lines below the first. */
static void print_word(const struct filter_word_info *info)
{
    int width = printf("  %s=%s", info->name, info->takes);
    printf("%*s", HELP_AT - width, "");
    for (const char *at = info->help; *at; at++) {
        putchar(*at);
        if (*at == '\n')
            printf("%*s", HELP_AT, "");
    }
    putchar('\n');
}

void filter_help_print(void)
{
    fputs(head, stdout);
    for (int about = 0; about < ABOUT_COUNT; about++) {
        puts(titles[about]);
        for (int word = 0; word < FILTER_WORD_COUNT; word++)
            if ((int)filter_word_info((enum filter_word)word)->about == about)
                print_word(filter_word_info((enum filter_word)word));
    }
    fputs(tail, stdout);
}

void filter_help_print_clauses(void)
{
    for (int word = 0; word < FILTER_WORD_COUNT; word++) {
        const struct filter_word_info *info = filter_word_info((enum filter_word)word);
        printf("%s=\n", info->name);
        for (int i = 0; i < FILTER_VALUES_MAX && info->values[i]; i++)
            printf("%s=%s\n", info->name, info->values[i]);
    }
}
