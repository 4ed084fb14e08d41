#include "cli/filter_help.h"

#include <stdio.h>

static const char text[] =
    "A filter is a list of clauses, all of which hold:  size>=1k live-at=peak focus=Parser\n"
    "Give it as --filter, or clause by clause behind the trace; each clause is an option, too.\n"
    "\n"
    "Objects of a trace\n"
    "  allocated=TIME     when it was allocated\n"
    "  live-at=TIME       alive then; with a range, at some time of it\n"
    "  collected=TIME     when it was collected; collected=never for what is alive at the end\n"
    "  promoted=TIME      when it went from the minor to the major heap; promoted=never\n"
    "  lifetime=DURATION  from allocation to collection, or to the end of the trace\n"
    "  size=BYTES         of the object; in pprof profiles, the label `bytes`\n"
    "  source=HEAP,...    where it is: minor, major, external. Without minor, an object is born "
    "by\n"
    "                     its promotion; without major, it dies by that\n"
    "  domain=NUMBER,...  the domain or thread that allocated it\n"
    "  thread=REGEX       its name, or the kernel's number of it\n"
    "  type=REGEX         the object's type, where a guest language tells it\n"
    "Samples of a pprof profile\n"
    "  tag=REGEX          some label matches; tag:KEY=REGEX the one of that key;\n"
    "  tag:KEY>=NUMBER    a label that is a number\n"
    "Stacks\n"
    "  focus=REGEX        some frame matches\n"
    "  ignore=REGEX       no frame matches\n"
    "  hide=REGEX         frames that match are left out of their stacks\n"
    "  show=REGEX         frames that don't match are left out\n"
    "  show-from=REGEX    stacks begin with the outermost frame that matches\n"
    "                     A frame matches by its function, file or module; focus:function=,\n"
    "                     focus:file= and focus:module= (and so on) say which\n"
    "\n"
    "Operators: = and != (not); < <= > >= with times and quantities.\n"
    "TIME      1.5s, 20ms, 300us, 2min, 1h since the start; 50% of the trace; start, peak, end;\n"
    "          end-10s. peak is when most was alive, whatever the filter\n"
    "BYTES     100, 4k, 1.5M, 2G (by 1024), 8w (words)\n"
    "Ranges    LOW..HIGH, LOW.., ..HIGH: both ends included\n"
    "REGEX     as in Perl, anywhere in the name; (?i) before it: letters in either case.\n"
    "          A value with spaces stands in quotes\n"
    "\n"
    "Examples\n"
    "  heaptap top app.ctf live-at=peak                      what the peak is made of\n"
    "  heaptap top app.ctf collected=never 'allocated>=10s'  what stays, of later allocations\n"
    "  heaptap flamegraph app.ctf 'lifetime<1ms' 'size>=4k'  large blocks of short lives\n"
    "  heaptap top app.ctf source=major focus:file=cache.ml  what the major heap got from a file\n"
    "\n"
    "`man heaptap-filters` explains more.\n";

void filter_help_print(void)
{
    fputs(text, stdout);
}
