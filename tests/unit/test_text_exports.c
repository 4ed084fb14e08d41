/* CSV and XML text. */
#include <stdio.h>
#include <stdlib.h>

#include "run_tests.h"
#include "answer/csv.h"
#include "answer/xml.h"

static void csv_quotes_what_it_must(void **state)
{
    char *text = NULL;
    size_t size;
    struct csv csv;
    FILE *file = open_memstream(&text, &size);
    csv_init(&csv, file);
    csv_text(&csv, "plain");
    csv_text(&csv, NULL);
    csv_text(&csv, "a,b");
    csv_text(&csv, "say \"x\"\n");
    csv_end_row(&csv);
    csv_uint(&csv, UINT64_MAX);
    csv_double(&csv, 1.5, 3);
    csv_double(&csv, 100, 3);
    csv_double(&csv, 0, 0);
    csv_double(&csv, 2.0004, 3);
    csv_end_row(&csv);
    fclose(file);
    assert_string_equal(text, "plain,,\"a,b\",\"say \"\"x\"\"\n\"\n"
                              "18446744073709551615,1.5,100,0,2\n");
    free(text);
}

static void xml_escapes(void **state)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    xml_put_text(file, "<a href=\"x\">'&'</a> ]]> \x01\xff\xc3\xa9\xef\xbf\xbe\t");
    fclose(file);
    assert_string_equal(text, "&lt;a href=&quot;x&quot;&gt;'&amp;'&lt;/a&gt; ]]&gt; "
                              "\\x01\\xff\xc3\xa9\\xef\\xbf\\xbe\\x09");
    free(text);
}

int main(void)
{
    return RUN_TESTS(csv_quotes_what_it_must, xml_escapes);
}
