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

/* With a sign; or several numbers, as a series has them. */
static bool is_signed_number(const char *text)
{
    return (*text == '-' || *text == '+') && text[1] && !text[1 + strspn(text + 1, "0123456789. ")];
}

static void put_in_form(struct csv *csv, const char *text, unsigned form)
{
    separate(csv);
    if (text)
        put_quoted(csv, is_signed_number(text) ? text : plain_as(text, form));
}

void csv_text(struct csv *csv, const char *text)
{
    put_in_form(csv, text, CSV_TEXT);
}

void csv_plain(struct csv *csv, const char *text)
{
    put_in_form(csv, text, CSV_TEXT | PLAIN_KEEP_ESCAPES);
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
