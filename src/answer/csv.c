#include "answer/csv.h"

#include <inttypes.h>
#include <string.h>

void csv_init(struct csv *csv, FILE *file)
{
    *csv = (struct csv){.file = file};
}

static void separate(struct csv *csv)
{
    if (csv->inside)
        fputc(',', csv->file);
    csv->inside = true;
}

/* In quotes where it has to be. */
static void put_quoted(struct csv *csv, const char *text)
{
    if (!text[strcspn(text, ",\"\n")]) {
        fputs(text, csv->file);
        return;
    }
    fputc('"', csv->file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', csv->file);
        fputc(*text, csv->file);
    }
    fputc('"', csv->file);
}

void csv_text(struct csv *csv, const char *text)
{
    separate(csv);
    if (!text)
        return;
    put_quoted(csv, plain_as(text, CSV_TEXT));
}

void csv_plain(struct csv *csv, const char *text)
{
    separate(csv);
    put_quoted(csv, text);
}
void csv_uint(struct csv *csv, uint64_t value)
{
    separate(csv);
    fprintf(csv->file, "%" PRIu64, value);
}

void csv_double(struct csv *csv, double value, int decimals)
{
    char text[400];
    separate(csv);
    snprintf(text, sizeof text, "%.*f", decimals, value);
    if (strchr(text, '.')) {
        size_t size = strlen(text);
        while (text[size - 1] == '0')
            size--;
        text[size - (text[size - 1] == '.')] = 0;
    }
    fputs(text, csv->file);
}

void csv_end_row(struct csv *csv)
{
    fputc('\n', csv->file);
    csv->inside = false;
}
