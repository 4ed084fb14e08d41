#include "cli/expectation.h"

#include <stddef.h>

#include "base/magnitude.h"
#include "cli/cli.h"

const struct question_option expectation_rows[] = {
    {"expect", 0, OPTION_AMOUNT, 0, "N",
     "Exit with 1 unless the allocations are within a factor of ten of N (100k, 2M)",
     offsetof(struct expectation, objects), .group = 4},
    {"expect-bytes", 0, OPTION_TAKEN, 0, "BYTES", "The same for their bytes (317kB, 2M)",
     offsetof(struct expectation, bytes), .take = option_take_bytes, .group = 4},
    {"expect-peak", 0, OPTION_TAKEN, 0, "BYTES",
     "The same for the most bytes that are alive at once", offsetof(struct expectation, peak),
     .take = option_take_bytes, .group = 4},
    {0}};

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
