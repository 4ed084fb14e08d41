#include "report/advice/tail_call.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "report/advice/ocaml_text.h"

enum { NAME_BYTES = 64, LINE_BYTES = 400 };

/* How the text has it: "Seq.fold_left" of "Stdlib__Seq.fold_left.aux", "@" of "Stdlib.(@)", `object` of what makes objects. */
static void written_name(char *name, const char *function)
{
    const char *start = ocaml_short_name(function);
    size_t module = strcspn(start, ".");
    bool has_module = isupper((unsigned char)*start) && start[module];
    size_t length = has_module ? module + 1 + strcspn(start + module + 1, ".") : module;
    if (strncmp(start, "CamlinternalOO", 14) == 0)
        start = "object", length = 6;
    if (*start == '(' && length >= 2)
        start++, length -= 2;
    snprintf(name, NAME_BYTES, "%.*s", (int)(length < NAME_BYTES ? length : NAME_BYTES - 1), start);
}

/* The last place in the text that has the name as a word; NULL for none. */
static const char *last_of(const char *text, const char *name)
{
    const char *last = NULL;
    for (const char *at = text; *name && (at = strstr(at, name)); at++)
        if (evidence_names(at, (const char *const[]){name, NULL}) &&
            !(at > text && ocaml_is_part(at[-1]) && ocaml_is_part(*name)) &&
            !(ocaml_is_part(name[strlen(name) - 1]) && ocaml_is_part(at[strlen(name)])))
            last = at;
    return last;
}

/* Where a function that the expression has as an argument calls a library function that isn't the one which calls it. */
static size_t line_of_argument(const struct evidence *evidence)
{
    char name[NAME_BYTES];
    const char *function = strstr(evidence->expression, "fun");
    for (size_t i = 1; function && i < evidence->call_count; i++) {
        written_name(name, evidence->calls[i]);
        const char *at = last_of(function, name);
        if (at)
            return evidence_line_at(evidence, at);
    }
    return 0;
}

/* `let name`, `let rec name` or `and name` at the beginning of the line. */
static bool defines(const char *line, const char *name, size_t length)
{
    static const char *const starts[] = {"let rec ", "let ", "and "};
    line += strspn(line, " ");
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(line, starts[i], strlen(starts[i])) == 0) {
            line += strlen(starts[i]);
            return strncmp(line, name, length) == 0 && !ocaml_is_part(line[length]);
        }
    return false;
}

static size_t indent_of(const char *line)
{
    return strspn(line, " ");
}

/* The last line of a definition, which begins at line `first` (from 1), that has the name as a word; 0 for none. */
static size_t last_line_of(const struct source_file *file, size_t first, const char *name)
{
    char code[LINE_BYTES];
    size_t found = 0, indent = indent_of(file->lines[first - 1]);
    for (size_t line = first; line <= file->count; line++) {
        const char *text = file->lines[line - 1];
        if (line > first && text[indent_of(text)] && indent_of(text) <= indent)
            break;
        source_code(code, sizeof code, file, LANGUAGE_OCAML, line, line, line);
        found = last_of(code, name) ? line : found;
    }
    return found;
}

/* In the function of the same file that the expression applies. */
static size_t line_of_definition(const struct evidence *evidence,
                                 const struct evidence_sources *sources, const char *name)
{
    struct source_file file;
    const char *applied = ocaml_applied(evidence);
    size_t length = 0, found = 0;
    while (ocaml_is_part(applied[length]))
        length++;
    if (!islower((unsigned char)*applied) || applied[length] == '.' ||
        !sources->file(sources->context, evidence->place->file, &file))
        return 0;
    for (size_t line = 1; line <= file.count && line <= (size_t)evidence->place->line; line++)
        if (defines(file.lines[line - 1], applied, length))
            found = line;
    return found > 0 ? last_line_of(&file, found, name) : 0;
}

size_t tail_call_line(const struct evidence *evidence, const struct evidence_sources *sources)
{
    char name[NAME_BYTES];
    if (evidence->language != LANGUAGE_OCAML || evidence->call_count == 0 || !*evidence->expression)
        return 0;
    written_name(name, evidence->calls[0]);
    return last_of(evidence->expression, name) ? line_of_argument(evidence)
                                               : line_of_definition(evidence, sources, name);
}
