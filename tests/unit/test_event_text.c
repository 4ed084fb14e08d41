
#include "run_tests.h"

#include <errno.h>

#include "format/export/event_style.h"
#include "format/export/event_text.h"

static void check_line(const struct event_style *style, const struct heaptap_event *event,
                       const struct event_stack *stack, const char *wanted)
{
    struct text text = {0};
    style->line(&text, event, stack);
    text_put_char(&text, 0);
    assert_string_equal(text.bytes, wanted);
    text_release(&text);
}

static const struct event_stack no_stack = {"", 0, "", 0};

static void memtrace_columns(void **state)
{
    static const struct {
        int64_t prefix;
        const char *line;
    } cases[] = {
        {0, "0000000005 0000000007 alloc 1 len=2 dom=3    0:\n"},
        {17, "0000000005 0000000007 alloc 1 len=2 dom=3   17:\n"},
        {123, "0000000005 0000000007 alloc 1 len=2 dom=3  123:\n"},
        {1234, "0000000005 0000000007 alloc 1 len=2 dom=3  1234:\n"},
        {-5, "0000000005 0000000007 alloc 1 len=2 dom=3   -5:\n"},
        {-1234, "0000000005 0000000007 alloc 1 len=2 dom=3 -1234:\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct heaptap_event event = {.time_us = 5,
                                      .id = 7,
                                      .samples = 1,
                                      .length = 2,
                                      .domain = 3,
                                      .common_prefix = cases[i].prefix};
        check_line(&event_style_memtrace, &event, &no_stack, cases[i].line);
    }
}

static void memtrace_kinds(void **state)
{
    struct heaptap_event event = {.kind = HEAPTAP_PROMOTE, .time_us = -1, .id = 12345678901};
    check_line(&event_style_memtrace, &event, &no_stack, "-000000001 12345678901 promote\n");
    event.kind = HEAPTAP_COLLECT;
    check_line(&event_style_memtrace, &event, &no_stack, "-000000001 12345678901 collect\n");
    event = (struct heaptap_event){.source = HEAPTAP_EXTERNAL, .samples = 4};
    check_line(&event_style_memtrace, &event, &(struct event_stack){" a b", 4, "", 0},
               "0000000000 0000000000 alloc_ext 4 len=0 dom=0    0: a b\n");
}

static void frames(void **state)
{
    static const struct heaptap_location locations[] = {{"f,.c", "outer\"", 1, 2, 3},
                                                        {"g.c", "inner", 10, 20, 300}};
    struct text text = {0};
    event_style_memtrace.frame(&text, locations, 2);
    event_style_memtrace.unknown(&text, UINT64_MAX);
    event_style_csv.frame(&text, locations, 2);
    event_style_csv.unknown(&text, 12);
    event_style_csv.site(&text, &locations[0]);
    event_style_json_lines.unknown(&text, 0xabc);
    text_put_char(&text, 0);
    assert_string_equal(text.bytes, " outer\"@f,.c:1:2-3 inner@g.c:10:20-300 $-1"
                                    ";outer\"\";inner;$12\"f,.c\",1,2,3,{\"code\":\"0xabc\"}");
    text_release(&text);
}

/* A sink that fails. */
static int refuse(void *context, const void *data, size_t size)
{
    ++*(int *)context;
    return ENOSPC;
}

static void failure_is_kept(void **state)
{
    int calls = 0;
    struct heaptap_sink sink = {refuse, &calls};
    struct event_text *text = event_text_new(EVENT_TEXT_ALLOC_STATS, NULL, sink);
    struct heaptap_event event = {.kind = HEAPTAP_COLLECT};
    int code = 0;
    for (int i = 0; i < 100000; i++)
        code = event_text_put(text, &event);
    assert_int_equal(code, ENOSPC);
    assert_int_equal(event_text_finish(text), ENOSPC);
    assert_int_equal(calls, 1);
    event_text_free(text);
}

int main(void)
{
    return RUN_TESTS(memtrace_columns, memtrace_kinds, frames, failure_is_kept);
}
