#include "report/advice/cpp_statements.h"

#include <string.h>

#include "report/sites/name_letter.h"

/* Is it one of the words, ended by NULL? */
static bool is_of(const char *const *words, const char *name, size_t length)
{
    while (*words && (strlen(*words) != length || memcmp(*words, name, length) != 0))
        words++;
    return *words;
}

/* Behind the bracket that closes this one. */
static const char *behind_brackets(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0)
            return at + 1;
    }
    return at;
}

/* `for (...)`, `else` and the like are in front of a statement. */
static const char *behind_control(const char *at)
{
    static const char *const words[] = {"for", "if", "while", "switch", "else", NULL};
    for (;;) {
        at += strspn(at, " \t");
        size_t length = strspn(at, NAME_LETTERS);
        if (!is_of(words, at, length))
            return at;
        at += length + strspn(at + length, " \t");
        if (*at == '(')
            at = behind_brackets(at);
    }
}

/* Is it the name of a function that allocates for its caller, `malloc` or `strdup`? */
static bool is_allocator(const char *name, size_t length)
{
    static const char *const parts[] = {"alloc", "dup", "asprintf", NULL};
    for (size_t i = 0; parts[i]; i++)
        if (memmem(name, length, parts[i], strlen(parts[i])))
            return true;
    return false;
}

/* Is the bracket that of a call which may allocate? */
static bool is_call(const char *text, size_t bracket, bool is_own)
{
    static const char *const others[] = {"free", "sizeof", "delete", "return", NULL};
    size_t start = bracket;
    while (start > 0 && is_name_letter(text[start - 1]))
        start--;
    if (is_own)
        return is_allocator(text + start, bracket - start);
    return start < bracket ? !is_of(others, text + start, bracket - start)
                           : start > 0 && text[start - 1] == '>';
}

static bool may_allocate(const char *text, size_t length, bool is_own)
{
    for (size_t i = 0; i < length; i++)
        if ((text[i] == '(' && is_call(text, i, is_own)) ||
            (strncmp(text + i, "new ", 4) == 0 && (i == 0 || !is_name_letter(text[i - 1]))))
            return true;
    return false;
}

/* To the end of the statement; of what is in front of a block, to its brace. */
static size_t length_of(const char *text)
{
    const char *at = text;
    while (*at && !strchr(";{}", *at))
        at = *at == '(' ? behind_brackets(at) : at + 1;
    return (size_t)(at - text);
}

bool cpp_has_several_calls(const char *code, bool is_own)
{
    size_t count = 0;
    while (*code) {
        code = behind_control(code);
        size_t length = length_of(code);
        bool is_head = code[length] == '{';
        count += !is_head && may_allocate(code, length, is_own);
        code += length + (code[length] != 0);
    }
    return count > 1;
}
