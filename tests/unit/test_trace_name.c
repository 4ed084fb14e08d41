/* Patterns of traces' names, and the names that come of them. */
#include <stdlib.h>

#include "run_tests.h"
#include "cli/record/trace_name.h"

static void test_fault(void **state)
{
    assert_null(trace_name_fault("t.ctf"));
    assert_null(trace_name_fault("a/b/%e.%p-%t.%%.ctf"));
    assert_null(trace_name_fault("50%%/t.ctf"));
    assert_non_null(trace_name_fault("folder/"));
    assert_non_null(trace_name_fault("t.%x"));
    assert_non_null(trace_name_fault("t.%"));
    assert_non_null(trace_name_fault("%p/t.ctf"));
}

static void test_matches(void **state)
{
    static const struct {
        const char *pattern, *name;
        bool matches;
    } cases[] = {
        {"t.ctf", "t.ctf", true},
        {"t.ctf", "t.12.ctf", true},
        {"t.ctf", "t-2.ctf", true},
        {"t.ctf", "t.12-3.ctf", true},
        {"t.ctf", "t.x.ctf", false},
        {"t.ctf", "t..ctf", false},
        {"t.ctf", "tt.ctf", false},
        {"t.ctf", "t.ctf.tmp", false},
        {"t", "t.12", true},
        {"a/heaptap.%e.%p.ctf", "heaptap.python3.11.77.ctf", true},
        {"a/heaptap.%e.%p.ctf", "heaptap.python3.11.ctf", true}, /* %p may be the 11 */
        {"a/heaptap.%e.%p.ctf", "heaptap.sh.x.ctf", false},
        {"%e-%t.ctf", "sh-20260101-101010.ctf", true},
        {"%e-%t.ctf", "sh.ctf", false},
        {"100%%.ctf", "100%.ctf", true},
        {"100%%.ctf", "100%%.ctf", false},
        {"t.ctf.gz", "t.9.ctf.gz", true},
        {"t.ctf.gz", "t.9-2.ctf.gz", true},
        {"t.ctf.gz", "t.ctf.9.gz", false},
        {"t.ctf.zst", "t.9.ctf.zst", true},
        {"t.pb.gz", "t.9.pb.gz", true},
        {"t.gz", "t.9.gz", true},
        {".ctf", ".ctf.9", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (trace_name_matches(cases[i].pattern, cases[i].name) != cases[i].matches)
            fail_msg("%s and %s", cases[i].pattern, cases[i].name);
}

int main(void)
{
    return RUN_TESTS(test_fault, test_matches);
}
