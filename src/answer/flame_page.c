#include "answer/flame_page.h"

#include <string.h>

#include "answer/xml.h"

enum { WIDTH = 1200, ROW = 17, FIRST_LINE = 44, LINE = 16, BELOW_LINES = 14, BOTTOM = 34 };

/* Made from flamegraph.css and flamegraph.js by scripts/embed. */
extern const char flamegraph_style[], flamegraph_script[];

int flame_colour(const char *text)
{
    uint32_t hash = UINT32_C(2166136261);
    for (; text && *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT32_C(16777619);
    return (int)((hash ^ hash >> 15) % FLAME_COLOURS);
}

static size_t count_lines(const char *text)
{
    size_t count = 1;
    for (; *text; text++)
        count += *text == '\n' && text[1];
    return count;
}

static void put_about(FILE *file, const char *about)
{
    for (size_t y = FIRST_LINE; *about; y += LINE) {
        int size = (int)strcspn(about, "\n");
        char line[512];
        snprintf(line, sizeof line, "%.*s", size, about);
        fprintf(file, "<text class=\"quiet\" x=\"8\" y=\"%zu\">", y);
        xml_put_plain(file, line);
        fputs("</text>\n", file);
        about += size + (about[size] == '\n');
    }
}

void flame_page_begin(struct flame_page *page, const char *title, const char *about)
{
    FILE *file = page->file;
    page->top = FIRST_LINE + BELOW_LINES + (about ? count_lines(about) - 1 : 0) * LINE;
    fprintf(file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "class=\"page\" width=\"%d\" height=\"%zu\">\n<title>",
            WIDTH, page->top + page->rows * ROW + BOTTOM);
    xml_put_plain(file, title);
    fprintf(file, "</title>\n<style><![CDATA[\n%s]]></style>\n", flamegraph_style);
    fputs("<rect class=\"sheet\" width=\"100%\" height=\"100%\"/>\n<text class=\"title\" x=\"8\" "
          "y=\"25\">",
          file);
    xml_put_plain(file, title);
    fputs("</text>\n", file);
    put_about(file, about ? about : "");
    fprintf(file, "<svg class=\"frames\" y=\"%zu\" width=\"100%%\" height=\"%zu\">\n", page->top,
            page->rows * ROW);
}

void flame_frame_begin(FILE *file, const struct flame_place *place)
{
    fputs("<svg class=\"f", file);
    if (place->colour >= 0)
        fprintf(file, " c%d", place->colour);
    fprintf(file, "\" x=\"%.6g%%\" y=\"%zu\" width=\"%.6g%%\" height=\"%d\"><title>",
            100 * place->begin, place->depth * ROW, 100 * place->width, ROW);
}

void flame_frame_end(FILE *file, const char *style, const char *name)
{
    fprintf(file, "</title><rect width=\"100%%\" height=\"100%%\"%s/><text x=\"3\" y=\"12\">",
            style);
    xml_put_text(file, name);
    fputs("</text></svg>\n", file);
}

void flame_page_end(const struct flame_page *page, const char *note)
{
    FILE *file = page->file;
    fputs("</svg>\n", file);
    if (note)
        fprintf(file, "<text class=\"quiet note\" x=\"8\" y=\"%zu\">%s</text>\n",
                page->top + page->rows * ROW + 20, note);
    fprintf(file, "<script><![CDATA[\n%s]]></script>\n</svg>\n", flamegraph_script);
}
