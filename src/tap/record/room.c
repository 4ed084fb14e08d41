/* Exact recording has words beside all blocks, which take a quarter to a half of the address space that these span,
 * and 32 MB to begin with.  Sampling takes 2.5 MB, and up to 9 as blocks are tracked, or 11 from the start where their number is known
 * and no limit of less than 170 MB is near. */
#include "tap/record/room.h"

#include <stddef.h>
#include <sys/resource.h>

#include "tap/inside/program_limits.h"
#include "tap/inside/say.h"

static bool is_enough(bool every_block, int resource, const char *what, const char *option)
{
    const uint64_t least = every_block ? UINT64_C(1) << 30 : UINT64_C(32) << 20;
    if (limits_of(resource) >= least)
        return true;
    say(every_block ? "recording every block: " : "recording: ", what, " limited to less than ",
        every_block ? "1 GB" : "32 MB", " (ulimit ", option,
        "); the program runs without being recorded", NULL);
    return false;
}

bool room_is_enough(bool every_block)
{
    return is_enough(every_block, RLIMIT_AS, "the address space is", "-v") &&
           is_enough(every_block, RLIMIT_DATA, "its data are", "-d");
}

uint64_t room_expected(uint64_t most)
{
    enum { TABLE_BYTES = 128 }; /* a block, at most */
    return TABLE_BYTES * most <= limits_share() ? most : 0;
}
