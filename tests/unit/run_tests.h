/* cmocka after what it needs, and the run of a program's tests. */
#ifndef RUN_TESTS_H
#define RUN_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What is run before and after all tests, and before and after each; NULL for nothing. */
struct run_tests_around {
    CMFixtureFunction before_all, after_all, before_each, after_each;
};

/* `names` are those of the functions, with commas between them. */
static inline int run_named_tests(const char *names, const CMUnitTestFunction *functions,
                                  size_t count, const struct run_tests_around *around)
{
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    char *text = strdup(names), *rest = NULL;
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){.name = strtok_r(i == 0 ? text : NULL, ", ", &rest),
                                       .test_func = functions[i],
                                       .setup_func = around->before_each,
                                       .teardown_func = around->after_each};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed =
        _cmocka_run_group_tests("tests", tests, count, around->before_all, around->after_all);
    free(text);
    free(tests);
    return failed;
}

/* What main returns: RUN_TESTS(test_this, test_that). */
#define RUN_TESTS_AROUND(around, ...)                                                              \
    run_named_tests(                                                                               \
        #__VA_ARGS__, (const CMUnitTestFunction[]){__VA_ARGS__},                                   \
        sizeof((const CMUnitTestFunction[]){__VA_ARGS__}) / sizeof(CMUnitTestFunction), around)
#define RUN_TESTS(...) RUN_TESTS_AROUND(&(struct run_tests_around){NULL}, __VA_ARGS__)

/* The same within what the first two do, once; and each within what they do. */
#define RUN_TESTS_WITHIN(before, after, ...)                                                       \
    RUN_TESTS_AROUND((&(struct run_tests_around){.before_all = (before), .after_all = (after)}),   \
                     __VA_ARGS__)
#define RUN_EACH_WITHIN(before, after, ...)                                                        \
    RUN_TESTS_AROUND((&(struct run_tests_around){.before_each = (before), .after_each = (after)}), \
                     __VA_ARGS__)

#endif
