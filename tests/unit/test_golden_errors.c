/* Damaged traces kept for ever, each with what the reader says of it: how many events come first,
 * then the message and the byte.
 *
 *   test_golden_errors            compares all of tests/golden/invalid
 *   test_golden_errors FILE...    prints what should stand in FILE.expected */
#include "unit/unit.h"

#include <dirent.h>

enum { REPORT_BYTES = 600, PATH_BYTES = 1024 };

/* Writes the report on a trace in `order` to `report`. */
static void describe(const char *path, const struct heaptap_reader_options *options, char *report)
{
    struct bytes bytes = {0};
    struct recording recording;
    if (!bytes_load(&bytes, path)) {
        snprintf(report, REPORT_BYTES, "cannot be read\n");
        return;
    }
    recording_read(&recording, bytes.items, bytes.size, options);
    snprintf(report, REPORT_BYTES, "%zu events\n%s at byte %llu\n%s\n", recording.count,
             heaptap_status_name(recording.end), (unsigned long long)recording.error.offset,
             recording.end == HEAPTAP_END ? "" : recording.error.message);
    recording_release(&recording);
    bytes_release(&bytes);
}

static unsigned compare(const char *path)
{
    static const struct heaptap_reader_options *const orders[] = {&in_file_order, &in_true_order};
    char expected_path[PATH_BYTES + 16], report[REPORT_BYTES];
    struct bytes expected = {0};
    unsigned wrong = 0;
    snprintf(expected_path, sizeof expected_path, "%s.expected", path);
    if (!bytes_load(&expected, expected_path)) {
        print_message("# %s is missing\n", expected_path);
        return 1;
    }
    for (int i = 0; i < 2; i++) {
        describe(path, orders[i], report);
        if (strlen(report) == expected.size && memcmp(report, expected.items, expected.size) == 0)
            continue;
        print_message("# %s, order %d:\n%s", path, i, report);
        wrong++;
    }
    bytes_release(&expected);
    return wrong;
}

static void test_golden_errors(void **state)
{
    DIR *dir = opendir(GOLDEN_DIR "/invalid");
    unsigned count = 0, wrong = 0;
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[PATH_BYTES];
        const char *dot = strrchr(entry->d_name, '.');
        if (entry->d_name[0] == '.' || !dot || strcmp(dot, ".expected") == 0)
            continue;
        snprintf(path, sizeof path, GOLDEN_DIR "/invalid/%s", entry->d_name);
        wrong += compare(path);
        count++;
    }
    closedir(dir);
    assert_int_equal(wrong, 0);
    assert_true(count >= 20);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char report[REPORT_BYTES];
        describe(argv[i], &in_file_order, report);
        fputs(report, stdout);
    }
    if (argc > 1)
        return 0;
    return RUN_TESTS(test_golden_errors);
}
