#include "report/advice/tail_call.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/affix.h"
#include "report/advice/ocaml_text.h"

enum { NAME_BYTES = 64, LINE_BYTES = 400 };

/* How the text has it: "Seq.fold_left" of "Stdlib__Seq.fold_left.aux", "@" of "Stdlib.(@)", `object` of what makes objects, and
 * "Format.asprintf" of "Stdlib__Format.kasprintf.k". */
static void written_name(char *name, const char *function)
{
    const char *start = ocaml_short_name(function);
    size_t module = strcspn(start, ".");
    bool has_module = isupper((unsigned char)*start) && start[module];
    size_t length = has_module ? module + 1 + strcspn(start + module + 1, ".") : module;
    if (begins_with(start, "CamlinternalOO"))
        start = "object", length = 6;
    if (*start == '(' && length >= 2)
        start++, length -= 2;
    snprintf(name, NAME_BYTES, "%.*s", (int)(length < NAME_BYTES ? length : NAME_BYTES - 1), start);
    char *format = strstr(name, ".k");
    if (format && ends_with(format, "printf"))
        memmove(format + 1, format + 2, strlen(format + 1));
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

/* Where a function that the expression has as an argument, in parentheses, calls a library function that isn't the one which calls it. */
static size_t line_of_argument(const struct evidence *evidence)
{
    char name[NAME_BYTES], function[EVIDENCE_TEXT_BYTES];
    const char *start = evidence->expression;
    while ((start = strstr(start, "(fun"))) {
        size_t length = 1;
        for (int depth = 1; start[length] && depth > 0; length++)
            depth += (start[length] == '(') - (start[length] == ')');
        snprintf(function, sizeof function, "%.*s", (int)length, start);
        for (size_t i = 1; i < evidence->call_count; i++) {
            written_name(name, evidence->calls[i]);
            const char *at = last_of(function, name);
            if (at)
                return evidence_line_at(evidence, start + (at - function));
        }
        start += length;
    }
    return 0;
}

/* `let name`, `let[@inline never] rec name` or `and name` at the beginning of the line. */
static bool defines(const char *line, const char *name, size_t length)
{
    line += strspn(line, " ");
    if (!ocaml_begins(line, "let") && !ocaml_begins(line, "and"))
        return false;
    line += strlen("let");
    if (begins_with(line, "[@"))
        line += strcspn(line, "]") + (strchr(line, ']') != NULL);
    line += strspn(line, " ");
    line += begins_with(line, "rec ") ? strlen("rec ") : 0;
    return strncmp(line, name, length) == 0 && !ocaml_is_part(line[length]);
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

/* The line behind `module Name` of a path's last module, which must be one of the file's; `*name` is then behind the path. */
static size_t line_in_module(const struct source_file *file, const char **name)
{
    static const char start[] = "module ";
    size_t line = 1;
    while (isupper((unsigned char)**name)) {
        size_t length = 0;
        while (ocaml_is_part((*name)[length]))
            length++;
        for (; line <= file->count; line++) {
            const char *text = file->lines[line - 1];
            text += indent_of(text);
            if (begins_with(text, start) && strncmp(text + strlen(start), *name, length) == 0 &&
                !ocaml_is_part(text[strlen(start) + length]))
                break;
        }
        *name += length + ((*name)[length] == '.');
    }
    return line;
}

/* In the function of the same file that the expression applies. */
static size_t line_of_definition(const struct evidence *evidence,
                                 const struct evidence_sources *sources, const char *name)
{
    struct source_file file;
    const char *applied = ocaml_applied(evidence);
    size_t length = 0, found = 0;
    if (!sources->file(sources->context, evidence->place->file, &file))
        return 0;
    size_t line = line_in_module(&file, &applied);
    while (ocaml_is_part(applied[length]))
        length++;
    if (!islower((unsigned char)*applied) || applied[length] == '.')
        return 0;
    for (; line <= file.count && line <= (size_t)evidence->place->line; line++)
        if (defines(file.lines[line - 1], applied, length))
            found = line;
    return found > 0 ? last_line_of(&file, found, name) : 0;
}

/* The same by the function's name. */
static size_t line_of(const struct evidence *evidence, const struct evidence_sources *sources,
                      const char *name)
{
    return last_of(evidence->expression, name) ? line_of_argument(evidence)
                                               : line_of_definition(evidence, sources, name);
}

size_t tail_call_line(const struct evidence *evidence, const struct evidence_sources *sources)
{
    /* Functions that end with a call of one, and so leave no frame. */
    static const struct {
        const char *called, *written;
    } ends[] = {
        {"Bytes.sub", "Buffer.contents"},          {"CamlinternalFormat", "Printf.sprintf"},
        {"CamlinternalFormat", "Format.asprintf"}, {"CamlinternalFormat", "Format.sprintf"},
        {"CamlinternalFormat", "Printf.bprintf"},  {"CamlinternalFormat", "Format.fprintf"},
        {"CamlinternalFormat", "Printf.printf"},   {"CamlinternalFormat", "Format.printf"},
    };
    char name[NAME_BYTES];
    if (evidence->language != LANGUAGE_OCAML || evidence->call_count == 0 || !*evidence->expression)
        return 0;
    written_name(name, evidence->calls[0]);
    size_t line = line_of(evidence, sources, name);
    for (size_t i = 0; line == 0 && i < sizeof ends / sizeof *ends; i++)
        if (begins_with(name, ends[i].called))
            line = line_of(evidence, sources, ends[i].written);
    return line;
}
