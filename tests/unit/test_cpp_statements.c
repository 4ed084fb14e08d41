/* On which lines of C and C++ several calls may allocate. */
#include "report/advice/cpp_statements.h"
#include "unit.h"

static void test_one(void **state)
{
    (void)state;
    assert_false(cpp_has_several_calls("", false));
    assert_false(cpp_has_several_calls("std::vector<int> seen(256);", false));
    assert_false(
        cpp_has_several_calls("for (int i = 0; i < n; i++) all = copy(all, f(i));", false));
    assert_false(cpp_has_several_calls("long sum(int n) { return total(names); }", false));
    assert_false(cpp_has_several_calls("char *b = malloc(9); b[0] = i; free(b); }", false));
    assert_false(cpp_has_several_calls("if (!b) b = new Row; else free(b);", false));
}

static void test_several(void **state)
{
    (void)state;
    assert_true(cpp_has_several_calls("std::vector<int> a(9); take(a);", false));
    assert_true(cpp_has_several_calls("std::vector<int> a(9); for (;;) take(a)", false));
    assert_true(cpp_has_several_calls("auto a = std::vector<int>(9); auto b = new Row;", false));
}

/* Of blocks that the line asks for itself, only calls that say so. */
static void test_own(void **state)
{
    (void)state;
    assert_false(cpp_has_several_calls("char *b = malloc(9); memset(b, 0, 9);", true));
    assert_true(cpp_has_several_calls("char *b = malloc(9), *c; c = xstrdup(b);", true));
    assert_true(cpp_has_several_calls("char *b = malloc(9); auto a = new Row;", true));
}

int main(void)
{
    return RUN_TESTS(test_one, test_several, test_own);
}
