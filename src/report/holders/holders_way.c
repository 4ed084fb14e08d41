/* A way from a root to a block, as a text: "book (global, shop.cpp:8) -> std::map node (fill, shop.cpp:20)". */
#include <stdlib.h>

#include "answer/cut.h"
#include "base/path.h"
#include "base/text.h"
#include "report/holders/holders.h"
#include "report/holders/holders_parts.h"

const struct symbol *holders_symbol_of(const struct holders *holders, uint32_t site)
{
    return &holders->sites.symbols.items[holders->sites.sites[site].symbol];
}

static void put_place(struct text *text, const char *file, uint64_t line)
{
    text_put_string(text, path_file(file));
    text_put_char(text, ':');
    text_put_uint(text, line, 1);
}

void holders_put_root(struct text *text, const struct holders_root *root)
{
    const char *name = holders_root_name(root);
    if (!*name) {
        text_put_string(text, root->kind == HOLDERS_LOST      ? HOLDERS_NOTHING
                              : root->kind == HOLDERS_GARBAGE ? "nothing, not yet collected"
                                                              : root->kind_name);
        return;
    }
    text_put_string(text, name);
    text_put_string(text, " (");
    text_put_string(text, root->kind_name);
    if (*root->file) {
        text_put_string(text, ", ");
        put_place(text, root->file, root->line);
    }
    text_put_char(text, ')');
}

/* "std::map node (fill, shop.cpp:20)", "fill (shop.cpp:20)" */
static void put_step(struct text *text, const struct holders *holders,
                     const struct holder_step *step)
{
    const struct symbol *symbol = holders_symbol_of(holders, step->site);
    const char *type = step->type;
    bool has_place = symbol->file && symbol->line > 0 && symbol->function;
    if (*step->name) {
        text_put_string(text, step->name);
        text_put_char(text, ' ');
    }
    text_put_string(text, type ? type : symbol_name(symbol));
    bool is_known = has_place || !symbol->function || *symbol->function != '('; /* (no location) */
    if (!is_known || (!type && !has_place))
        return;
    text_put_string(text, " (");
    if (type)
        text_put_string(text, symbol_name(symbol));
    if (type && has_place)
        text_put_string(text, ", ");
    if (has_place)
        put_place(text, symbol->file, symbol->line);
    text_put_char(text, ')');
}

static void put_way(struct text *text, const struct holders *holders,
                    const struct holder_step *step)
{
    if (step->parent == HOLDERS_NONE) {
        holders_put_root(text, &holders->sites.snapshot->roots[step->root]);
        return;
    }
    put_way(text, holders, &holders->sites.steps[step->parent]);
    text_put_string(text, " -> ");
    put_step(text, holders, step);
}

char *holders_way_text(const struct holders *holders, const struct holder_step *step)
{
    struct text text = {0};
    put_way(&text, holders, step);
    return text_take(&text);
}

char *holders_way_shown(char *way, const struct answer *answer, const struct question *question)
{
    enum { WAY_SHOWN = 100 };
    if (!way || !answer_is_read(answer) || question->full_names || text_width(way) <= WAY_SHOWN)
        return way;
    char *shown = cut_name(way, WAY_SHOWN);
    free(way);
    return shown;
}
