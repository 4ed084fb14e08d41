/* Every golden trace, cut and flipped where it hurts: no crash, no endless reading, and all events
 * before the damage. */
#include "helpers/sanitized.h"
#include "unit/golden.h"
#include "unit/unit.h"

enum { SLOWER = IS_ADDRESS_SANITIZED ? 25 : 1 };

/* How many places of one packet are damaged at most, each in both orders; a smaller packet is
 * damaged at every byte. */
enum { PLACES = 4000 / SLOWER, LAST_PLACES_BYTES = (200 << 20) / SLOWER, FIRST_PACKETS = 4 };

/* Where the packet after the one at `at` begins. */
static size_t next_packet(const struct bytes *bytes, size_t at)
{
    return at + bytes_get(bytes, at + 4, 4) / 8;
}

static size_t last_packet(const struct bytes *bytes)
{
    size_t at = 0;
    while (next_packet(bytes, at) < bytes->size)
        at = next_packet(bytes, at);
    return at;
}

/* How many of the events end before byte `offset`. */
static size_t events_before(const struct recording *recording, size_t offset)
{
    size_t low = 0, high = recording->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        size_t end = middle + 1 < recording->count
                         ? (size_t)recording->events[middle + 1].event.offset
                         : SIZE_MAX;
        if (end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The trace cut to `size` bytes: all whole events of it, and no others. */
static void check_cut(const struct bytes *bytes, const struct recording *whole, size_t size,
                      bool between)
{
    for (int order = 0; order < 2; order++) {
        struct recording got;
        recording_read(&got, bytes->items, size, order ? &in_true_order : &in_file_order);
        if (got.end != (between ? HEAPTAP_END : HEAPTAP_BAD_INPUT))
            fail_msg("cut at %zu, order %d: status %d, %s", size, order, got.end,
                     got.error.message);
        assert_true(between || got.error.offset <= size);
        assert_int_equal(recording_common(&got, whole), got.count);
        assert_true(got.count >= events_before(whole, size));
        recording_release(&got);
    }
}

/* Cuts the packet from `begin` to `end` at every `step`th byte. */
static void cut_packet(const struct bytes *bytes, const struct recording *whole, size_t begin,
                       size_t end, size_t step)
{
    for (size_t size = begin; size < end; size += step)
        check_cut(bytes, whole, size, size == begin && begin > 0);
}

static void test_cuts(void **state)
{
    for (size_t i = 0; i < GOLDEN_TRACES; i++) {
        struct bytes bytes = golden_load(golden_names[i]);
        struct recording whole;
        size_t at = 0, end, last = last_packet(&bytes);
        recording_read(&whole, bytes.items, bytes.size, NULL);
        for (int k = 0; k < FIRST_PACKETS && at < last; k++, at = end) {
            end = next_packet(&bytes, at);
            cut_packet(&bytes, &whole, at, end, 1 + (end - at) / PLACES);
        }
        cut_packet(&bytes, &whole, last, bytes.size,
                   1 + (bytes.size - last) / (1 + LAST_PLACES_BYTES / bytes.size));
        recording_release(&whole);
        bytes_release(&bytes);
    }
}

/* One byte is another one. */
static void check_flip(const struct bytes *bytes, const struct recording *whole, size_t offset,
                       uint8_t pattern)
{
    bytes->items[offset] ^= pattern;
    for (int order = 0; order < 2; order++) {
        struct recording got;
        recording_read(&got, bytes->items, bytes->size, order ? &in_true_order : &in_file_order);
        assert_true(got.end == HEAPTAP_END || got.end == HEAPTAP_BAD_INPUT);
        assert_true(got.count * 5 <= bytes->size); /* no event is shorter */
        if (order == 0 && recording_common(&got, whole) < events_before(whole, offset))
            fail_msg("flip at %zu: %zu events instead of %zu", offset,
                     recording_common(&got, whole), events_before(whole, offset));
        recording_release(&got);
    }
    bytes->items[offset] ^= pattern;
}

static void test_flips(void **state)
{
    static const uint8_t patterns[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff};
    for (size_t i = 0; i < GOLDEN_TRACES; i++) {
        struct bytes bytes = golden_load(golden_names[i]);
        struct recording whole;
        size_t at = 0, end = 0;
        for (int k = 0; k < FIRST_PACKETS && end < bytes.size; k++)
            end = next_packet(&bytes, end);
        bytes.size = end;
        recording_read(&whole, bytes.items, bytes.size, NULL);
        for (; at < bytes.size; at = end) {
            end = next_packet(&bytes, at);
            size_t step = 1 + (end - at) / (PLACES / 2);
            for (size_t offset = at, n = 0; offset < end; n++) {
                bool head = offset < at + 80; /* all patterns there, elsewhere by turns */
                for (size_t p = 0; p < sizeof patterns; p++)
                    if (head || p == n % sizeof patterns)
                        check_flip(&bytes, &whole, offset, patterns[p]);
                offset += head ? 1 : step;
            }
        }
        recording_release(&whole);
        bytes_release(&bytes);
    }
}

/* Whole packets missing, doubled or in the wrong place. */
static void test_packets_moved(void **state)
{
    for (size_t i = 0; i < GOLDEN_TRACES; i++) {
        struct bytes bytes = golden_load(golden_names[i]);
        struct recording whole;
        size_t at = next_packet(&bytes, 0);
        recording_read(&whole, bytes.items, bytes.size, NULL);
        for (int k = 0; k < 3 && at < bytes.size; k++) {
            size_t end = next_packet(&bytes, at);
            for (int how = 0; how < 3; how++) {
                struct bytes moved = {0};
                bytes_append(&moved, bytes.items, how == 0 ? at : end);
                if (how == 1)
                    bytes_append(&moved, bytes.items + at, end - at);
                if (how < 2)
                    bytes_append(&moved, bytes.items + end, bytes.size - end);
                else
                    bytes_append(&moved, bytes.items, bytes.size);
                for (int order = 0; order < 2; order++) {
                    struct recording got;
                    recording_read(&got, moved.items, moved.size,
                                   order ? &in_true_order : &in_file_order);
                    assert_true(got.end == HEAPTAP_END || got.end == HEAPTAP_BAD_INPUT);
                    assert_true(recording_common(&got, &whole) >= events_before(&whole, at) ||
                                order == 1);
                    recording_release(&got);
                }
                bytes_release(&moved);
            }
            at = end;
        }
        recording_release(&whole);
        bytes_release(&bytes);
    }
}

int main(void)
{
    return RUN_TESTS(test_cuts, test_flips, test_packets_moved);
}
