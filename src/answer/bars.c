#include "answer/bars.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

enum { BAR_LEAST = 4, BAR_MOST = 60 };

static int columns_of(const char *text)
{
    int columns = 0;
    for (uint32_t character; *text; columns++)
        text += utf8_decode(text, &character);
    return columns;
}

/* Draws `length` columns, a fraction of them; something at least where there is something. */
static void draw(FILE *file, double length, bool utf8)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int whole = utf8 ? (int)lround(length * 8) : (int)lround(length);
    if (whole == 0 && length > 0)
        whole = 1;
    for (int i = 0; i < (utf8 ? whole / 8 : whole); i++)
        fputs(utf8 ? "█" : "#", file);
    if (utf8)
        fputs(eighths[whole % 8], file);
}

void bars_print(FILE *file, const struct answer_bar *bars, size_t count,
                const struct bars_style *style)
{
    int labels = 0, texts = 0;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        int label = columns_of(bars[i].label), text = columns_of(bars[i].text);
        labels = label > labels ? label : labels;
        texts = text > texts ? text : texts;
        most = bars[i].value > most ? bars[i].value : most;
    }
    int room = style->columns - labels - texts - 5;
    room = room > BAR_MOST ? BAR_MOST : room < BAR_LEAST ? BAR_LEAST : room;
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "  %*s%s ", labels - columns_of(bars[i].label), "", bars[i].label);
        fputs(style->colour ? "\033[36m" : "", file);
        draw(file, most > 0 ? bars[i].value / most * room : 0, style->utf8);
        fputs(style->colour ? "\033[0m" : "", file);
        fprintf(file, "%s%s\n", bars[i].value > 0 ? " " : "", bars[i].text);
    }
}
