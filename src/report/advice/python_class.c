#include "report/advice/python_class.h"

#include <math.h>
#include <string.h>

#include "base/affix.h"
#include "report/sites/name_letter.h"

/* Does the line begin a class of that name, which derives from none? */
static bool begins_class(const char *line, const char *name, size_t size)
{
    line += strspn(line, " \t");
    if (!begins_with(line, "class ") || strncmp(line + 6, name, size) != 0)
        return false;
    const char *rest = line + 6 + size;
    return *rest == ':' || begins_with(rest, "():") || begins_with(rest, "(object):");
}

/* Does it have slots, by a decorator above line `i`, from 0, or by a line of its body? */
static bool has_slots(const struct source_file *file, size_t i)
{
    size_t indent = strspn(file->lines[i], " \t");
    for (size_t above = i; above-- > 0 && file->lines[above][indent] == '@';)
        if (strstr(file->lines[above], "slots=True"))
            return true;
    while (++i < file->count) {
        const char *line = file->lines[i];
        size_t spaces = strspn(line, " \t");
        if (line[spaces] && spaces <= indent)
            return false;
        if (begins_with(line + spaces, "__slots__"))
            return true;
    }
    return false;
}

/* Is the type of the blocks a class of the file of their line, without slots? */
static bool is_plain_class(const struct evidence *evidence)
{
    struct source_file file;
    const char *dot = strrchr(evidence->type, '.'), *name = dot ? dot + 1 : evidence->type;
    size_t size = strspn(name, NAME_LETTERS);
    if (size == 0 || name[size] || !evidence->sources ||
        !evidence->sources->file(evidence->sources->context, evidence->place->file, &file))
        return false;
    for (size_t i = 0; i < file.count; i++)
        if (begins_class(file.lines[i], name, size))
            return !has_slots(&file, i);
    return false;
}

/* The collector's header, pointers to a dict and to weak references, the object's own header; and what describes its values: then 8 bytes for
 * each that there is room for, and one that says when it was set, in eights.  With slots: both headers, and 8 bytes for each.  Objects
 * of CPython 3.11 and 3.12 have no more than the former: their values lie elsewhere.  One value's room is to spare. */
double python_room_beside_slots(const struct evidence *evidence)
{
    static const double fixed = 16 + 16 + 16 + 8, with_slots = 16 + 16, word = 8;
    double size = (double)evidence->figures->common_bytes;
    for (double room = 2; fixed + room * word <= size; room++)
        if (fixed + room * word + word * ceil(room / 8) == size)
            return is_plain_class(evidence) ? size - with_slots - (room - 1) * word : 0;
    return 0;
}
