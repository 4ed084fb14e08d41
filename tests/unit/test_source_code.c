/* Program text without literals and comments, and what of a place's text a rule sees. */
#include "report/advice/source_code.h"
#include "unit.h"

/* Of all the lines, joined by |; a text of one line for a language. */
static const char *code_of(enum source_language language, const char *first, const char *second)
{
    static char text[400];
    char *lines[] = {(char *)first, (char *)second};
    const struct source_file file = {lines, second ? 2 : 1};
    source_code(text, sizeof text, &file, language, 1, 1, 2);
    for (char *at = text; (at = strchr(at, '\n'));)
        *at = '|';
    return text;
}

static void check(enum source_language language, const char *first, const char *second,
                  const char *wanted)
{
    assert_string_equal(code_of(language, first, second), wanted);
}

static void test_ocaml(void **state)
{
    (void)state;
    check(LANGUAGE_OCAML, "split ',' \"a,b\\\",\" (* c, (* d *), *) x", NULL,
          "split ' ' \"      \"                   x|");
    check(LANGUAGE_OCAML, "f '\\'' x' y' : 'a list, '\\n'", NULL, "f '  ' x' y' : 'a list, '  '|");
    check(LANGUAGE_OCAML, "{|a,b|}, {sql|a|}, |sql} {x; y}", NULL,
          "{|   |}, {sql|     |sql} {x; y}|");
    check(LANGUAGE_OCAML, "let a = \"one,", "two\", 3", "let a = \"    |   \", 3|");
    check(LANGUAGE_OCAML, "x (* one", ",(* *) *), 1", "x       |         , 1|");
}

static void test_cpp(void **state)
{
    (void)state;
    check(LANGUAGE_CPP, "f(\"a & b\", '&', 1'000); // & c", "g(&x); /* & */ y",
          "f(\"     \", ' ', 1'000);       |g(&x);         y|");
    check(LANGUAGE_CPP, "R\"x(a\" & )\" b)x\" & \"\\\"&\"", NULL, "R\"x(         )x\" & \"   \"|");
    check(LANGUAGE_CPP, "f(\"never closed &", "a & b", "f(\"              |a & b|");
}

static void test_python(void **state)
{
    (void)state;
    check(LANGUAGE_PYTHON, "x = f\"{a}: {b}\" + 'it\\'s' # {: }", NULL,
          "x = f\"        \" + '     '       |");
    check(LANGUAGE_PYTHON, "x = \"\"\"a", "b\" c\"\"\" + y", "x = \"\"\" |    \"\"\" + y|");
}

static void test_lua(void **state)
{
    (void)state;
    check(LANGUAGE_LUA, "x = \"a..b\" .. [[c]] -- ..", "y --[[ .. ]] z",
          "x = \"    \" .. [[ ]]      |y            z|");
}

/* Lines before those that are wanted say whether these begin within a comment. */
static void test_window(void **state)
{
    (void)state;
    char *lines[] = {(char *)"(* begins", (char *)"still *) one", (char *)"two", (char *)"three"},
         text[40];
    const struct source_file file = {lines, 4};
    assert_int_equal(source_code(text, sizeof text, &file, LANGUAGE_OCAML, 2, 3, 3), 13);
    assert_string_equal(text, "         one\ntwo\n");
    assert_int_equal(source_code(text, 10, &file, LANGUAGE_OCAML, 2, 3, 3), 0);
    assert_string_equal(text, "");
    assert_int_equal(source_language_of("a.b/c.ml"), LANGUAGE_OCAML);
    assert_int_equal(source_language_of("Makefile"), LANGUAGE_OTHER);
}

int main(void)
{
    return RUN_TESTS(test_ocaml, test_cpp, test_python, test_lua, test_window);
}
