/* A trace with regions, as a killed writer leaves it, and what mending makes of it. */
#include "unit/unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "trace/mend.h"

enum { PAGE = 4096, OPEN_BIT = 31, ROOM_OFFSET = 24 };

/* Begins a packet whose end and end id are not yet known. */
static size_t begin(struct bytes *bytes, unsigned domain, uint64_t first_id)
{
    return build_packet(bytes, &(struct build_header){.version = 3,
                                                      .domain = (uint16_t)domain,
                                                      .begin_us = 10,
                                                      .end_us = -5,
                                                      .first_id = first_id,
                                                      .end_id = 77777});
}

/* Ends it open, with `garbage` bytes of a torn event and zeros up to the region's end. */
static void leave_open(struct bytes *bytes, size_t packet, size_t pages, size_t garbage)
{
    build_end(bytes, packet);
    for (size_t i = 0; i < garbage; i++)
        bytes_number(bytes, 0xc1, 1);
    while (bytes->size < packet + pages * PAGE)
        bytes_number(bytes, 0, 1);
    bytes_patch(bytes, packet + ROOM_OFFSET, pages * PAGE | UINT64_C(1) << OPEN_BIT, 4);
}

static void pad(struct bytes *bytes, size_t pages)
{
    size_t end = (bytes->size + PAGE - 1) / PAGE * PAGE + pages * PAGE;
    while (bytes->size < end)
        bytes_number(bytes, 0, 1);
}

static void build_killed(struct bytes *bytes)
{
    build_info(bytes, 3);
    pad(bytes, 0);
    bytes_patch(bytes, ROOM_OFFSET, PAGE, 4);
    for (unsigned domain = 0; domain < 5; domain++) {
        size_t names = begin(bytes, domain, domain * 10000);
        build_location(bytes, 10, 0x1000 + domain, 1);
        build_place(bytes, domain, 1, 2, BUILD_NEW_NAME, "file", BUILD_NEW_NAME, "function");
        leave_open(bytes, names, 1, domain * 11);
        size_t events = begin(bytes, domain, domain * 10000);
        for (unsigned i = 0; i < 300; i++) {
            build_short(bytes, 10 + i * 1000, 1 + i % 16, 0, 1);
            build_miss(bytes, 7, 0x1000 + domain);
        }
        build_collect(bytes, 400000, 5);
        leave_open(bytes, events, 2, domain * 100);
    }
    leave_open(bytes, begin(bytes, 3, 31000), 1, 50); /* a packet without events */
    bytes_number(bytes, 0, 4);                        /* a torn header */
    bytes_number(bytes, 4711, 8);
    pad(bytes, 30);
}

static void write_file(const char *path, const struct bytes *bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes->items, 1, bytes->size, file), bytes->size);
    fclose(file);
}

static void read_file(const char *path, struct bytes *bytes)
{
    uint8_t part[PAGE];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;)
        bytes_append(bytes, part, got);
    fclose(file);
}

static void assert_same(const struct bytes *before, const struct bytes *after,
                        const struct heaptap_reader_options *order)
{
    struct recording left = {0}, right = {0};
    recording_read(&left, before->items, before->size, order);
    recording_read(&right, after->items, after->size, order);
    assert_int_equal(left.end, HEAPTAP_END);
    assert_int_equal(right.end, HEAPTAP_END);
    assert_int_equal(left.count, 5 * 301);
    assert_int_equal(right.count, left.count);
    assert_int_equal(recording_common(&left, &right), left.count);
    assert_true(left.notes.open_packets >= 10);
    assert_int_equal(right.notes.open_packets, 0);
    recording_release(&left);
    recording_release(&right);
}

/* Packets without rooms, one behind another up to the end, as every reader of the format takes them. */
static void assert_plain(const struct bytes *bytes)
{
    size_t at = 0;
    while (at < bytes->size) {
        assert_int_equal(bytes_get(bytes, at, 4), 0xc1fc1fc1);
        assert_int_equal(bytes_get(bytes, at + ROOM_OFFSET, 4), 0);
        at += (size_t)bytes_get(bytes, at + 4, 4) / 8;
    }
    assert_int_equal(at, bytes->size);
}

static void test_mended(void **state)
{
    char folder[] = "/tmp/mend-XXXXXX", path[64], link[64];
    struct bytes killed = {0}, mended = {0}, again = {0};
    struct stat status;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.ctf", folder);
    snprintf(link, sizeof link, "%s/l.ctf", folder);
    build_killed(&killed);
    write_file(path, &killed);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("t.ctf", link), 0);
    assert_int_equal(trace_mend(link, NULL), HEAPTAP_OK);
    read_file(path, &mended);
    assert_same(&killed, &mended, &in_file_order);
    assert_same(&killed, &mended, &in_true_order);
    assert_plain(&mended);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(trace_mend(path, NULL), HEAPTAP_OK); /* nothing is left to do */
    read_file(path, &again);
    assert_int_equal(again.size, mended.size);
    assert_memory_equal(again.items, mended.items, mended.size);
    unlink(link);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing stays beside */
    bytes_release(&killed);
    bytes_release(&mended);
    bytes_release(&again);
}

/* A damaged one stays as it is, byte for byte. */
static void test_damaged(void **state)
{
    char folder[] = "/tmp/mend-XXXXXX", path[64];
    struct heaptap_error error = {0};
    struct bytes killed = {0}, after = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.ctf", folder);
    build_killed(&killed);
    bytes_patch(&killed, 2 * PAGE + 68, 0xffffffff, 4); /* the first event of domain 0 */
    write_file(path, &killed);
    assert_int_equal(trace_mend(path, &error), HEAPTAP_BAD_INPUT);
    read_file(path, &after);
    assert_int_equal(after.size, killed.size);
    assert_memory_equal(after.items, killed.items, killed.size);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
    bytes_release(&killed);
    bytes_release(&after);
}

int main(void)
{
    return RUN_TESTS(test_mended, test_damaged);
}
