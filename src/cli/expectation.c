#include "cli/expectation.h"

#include "base/amount.h"
#include "base/magnitude.h"
#include "cli/cli.h"

enum { OPTION_EXPECT = 5000, OPTION_EXPECT_BYTES, OPTION_EXPECT_PEAK };

static const struct argp_option rows[] = {
    {"expect", OPTION_EXPECT, "N", 0,
     "Exit with 1 unless the allocations are within a factor of ten of N (100k, 2M)", 4},
    {"expect-bytes", OPTION_EXPECT_BYTES, "BYTES", 0, "The same for their bytes (317kB, 2M)", 4},
    {"expect-peak", OPTION_EXPECT_PEAK, "BYTES", 0,
     "The same for the most bytes that are alive at once", 4},
    {0},
};

static double count_of(const char *text, struct argp_state *state)
{
    double count;
    if (!amount_count(text, &count))
        argp_error(state, "--expect takes a number such as 1000, 100k or 2.9M, not '%s'", text);
    return count;
}

static double bytes_of(const char *text, const char *option, struct argp_state *state)
{
    double bytes;
    if (!amount_bytes(text, &bytes))
        argp_error(state, "--%s takes a size such as 64, 317kB or 1.5M, not '%s'", option, text);
    return bytes;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct expectation *expectation = state->input;
    switch (key) {
    case OPTION_EXPECT:
        expectation->objects = count_of(argument, state);
        return 0;
    case OPTION_EXPECT_BYTES:
        expectation->bytes = bytes_of(argument, "expect-bytes", state);
        return 0;
    case OPTION_EXPECT_PEAK:
        expectation->peak = bytes_of(argument, "expect-peak", state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp expectation_argp = {rows, parse, 0, 0, 0, 0, 0};

bool expectation_is_given(const struct expectation *expectation)
{
    return expectation->objects >= 0 || expectation->bytes >= 0 || expectation->peak >= 0;
}

static bool judge(double expected, double recorded, const char *what, const char *became)
{
    bool is_near = expected < 0 || magnitude_is_near(recorded, expected);
    if (!is_near)
        cli_warn("about %.0f %s were expected and %.0f %s: more than a factor of ten apart",
                 expected, what, recorded, became);
    return is_near;
}

int expectation_judge(const struct expectation *expectation, const struct expectation *recorded,
                      bool is_empty)
{
    if (is_empty) {
        cli_warn("nothing was recorded, so --expect fails");
        return CLI_FOUND;
    }
    bool near = judge(expectation->objects, recorded->objects, "allocations", "were made");
    near = judge(expectation->bytes, recorded->bytes, "bytes", "were made") && near;
    near = judge(expectation->peak, recorded->peak, "bytes alive at once", "were reached") && near;
    return near ? CLI_DONE : CLI_FOUND;
}
