/* Limits of control groups, in a folder like the kernel's. */
#include "unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tap/inside/memory.h"

static char folder[] = "/tmp/heaptap-groups-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s%s", folder, name);
    if (!text) {
        assert_int_equal(mkdir(path, 0700), 0);
        return;
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int begin(void **state)
{
    assert_non_null(mkdtemp(folder));
    put("/a", NULL);
    put("/a/b", NULL);
    put("/a/c", NULL);
    put("/a/memory.max", "2147483648\n");
    put("/a/b/memory.max", "1073741824\n");
    put("/a/c/memory.max", "max\n");
    put("/memory", NULL);
    put("/memory/docker", NULL);
    put("/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/memory/docker/memory.limit_in_bytes", "536870912\n");
    return 0;
}

static int end(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void the_least_limit_of_a_group_and_those_around_it(void **state)
{
    static const struct {
        const char *groups;
        uint64_t bytes;
    } cases[] = {
        {"0::/a/b\n", 1 << 30},
        {"0::/a/c\n", (uint64_t)2 << 30},
        {"0::/a\n", (uint64_t)2 << 30},
        {"0::/a/none\n", (uint64_t)2 << 30},
        {"0::/\n", UINT64_MAX},
        {"0::/none\n", UINT64_MAX},
        {"", UINT64_MAX},
        {"12:cpu:/a\n4:memory:/docker\n0::/a/b\n", 1 << 29},
        {"4:memory:/docker/x\n", 1 << 29},
        {"4:memory:/\n", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char groups[100];
        strcpy(groups, cases[i].groups);
        assert_int_equal(memory_group_limit(folder, groups), cases[i].bytes);
    }
}

static void something_limits_every_process(void **state)
{
    struct memory_limit limit = memory_limit();
    assert_true(limit.bytes >> 20 > 0 && limit.bytes < UINT64_MAX);
    assert_true(memory_left() >> 20 > 0 && memory_resident() > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_least_limit_of_a_group_and_those_around_it, begin, end),
        cmocka_unit_test(something_limits_every_process),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
