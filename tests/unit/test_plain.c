/* Names as they are shown. */
#include <stdio.h>

#include "run_tests.h"
#include "base/plain.h"

static void ordinary_names_stay(void **state)
{
    static const char *const names[] = {"",
                                        "main",
                                        "std::vector<int, A>::push_back(int const&)",
                                        "caf\xc3\xa9",
                                        "C:\\xamples\\x",
                                        "\\x4",
                                        "App\\Foo",
                                        "\xf0\x9f\x90\xab",
                                        "a;b",
                                        "\xc2\xa0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_ptr_equal(plain(names[i]), names[i]);
    assert_null(plain(NULL));
}

static void hidden_characters_are_written_as_bytes(void **state)
{
    assert_string_equal(plain("\x1b]0;title\a"), "\\x1b]0;title\\x07");
    assert_string_equal(plain("a\n\r\tb\x7f"), "a\\x0a\\x0d\\x09b\\x7f");
    assert_string_equal(plain("\xc2\x9b"
                              "31m"),
                        "\\xc2\\x9b31m");
    assert_string_equal(plain("\xe2\x80\xae"
                              "x\xe2\x81\xa6"),
                        "\\xe2\\x80\\xaex\\xe2\\x81\\xa6");
    assert_string_equal(plain("\xe2\x80\xa8\xd8\x9c"), "\\xe2\\x80\\xa8\\xd8\\x9c");
    assert_string_equal(plain("\xff\xc0\x80\xed\xa0\x80"), "\\xff\\xc0\\x80\\xed\\xa0\\x80");
    assert_string_equal(plain("\\x1b"), "\\x5cx1b");
}

static void forms_differ(void **state)
{
    assert_string_equal(plain_as("a\tb\x01", PLAIN_KEEP_TABS), "a\tb\\x01");
    assert_string_equal(plain_as("a\nb\r", PLAIN_KEEP_LINES), "a\nb\\x0d");
    assert_string_equal(plain_as("a;b", PLAIN_NO_SEMICOLONS), "a\\x3bb");
}

static void no_cell_begins_a_formula(void **state)
{
    assert_string_equal(plain_as("=1+1", PLAIN_NO_FORMULAS), "\\x3d1+1");
    assert_string_equal(plain_as("-[View draw]", PLAIN_NO_FORMULAS), "\\x2d[View draw]");
    assert_string_equal(plain_as("main;@x;a+b", PLAIN_NO_FORMULAS), "main;\\x40x;a+b");
    assert_string_equal(plain_as("a\n+x", PLAIN_NO_FORMULAS | PLAIN_KEEP_LINES), "a\n\\x2bx");
    assert_string_equal(plain_as("\xef\xbc\x9dx", PLAIN_NO_FORMULAS), "\\xef\\xbc\\x9dx");
    assert_string_equal(plain_as("a=b", PLAIN_NO_FORMULAS), "a=b");
    assert_string_equal(plain("=1"), "=1");
}

static void names_read_back(void **state)
{
    static const char *const names[] = {"\x1b]0;\a\n\xff", "\\x1b\x1b\\", "\\\\x5c",
                                        "caf\xc3\xa9\xc2\x85"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", plain(names[i]));
        plain_parse(text);
        assert_string_equal(text, names[i]);
    }
}

static void some_copies_are_kept(void **state)
{
    const char *copies[PLAIN_COPIES];
    char name[] = "\x01"
                  "0";
    for (int i = 0; i < PLAIN_COPIES; i++, name[1]++)
        copies[i] = plain(name);
    assert_string_equal(copies[0], "\\x010");
    assert_string_equal(copies[PLAIN_COPIES - 1], "\\x017");
}

int main(void)
{
    return RUN_TESTS(ordinary_names_stay, hidden_characters_are_written_as_bytes, forms_differ,
                     no_cell_begins_a_formula, names_read_back, some_copies_are_kept);
}
