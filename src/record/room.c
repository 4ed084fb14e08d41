/* Exact recording has words beside all blocks, which take a quarter to a half of the address space that these span,
 * and 32 MB to begin with; sampling takes 2 MB, and 4 more as blocks are tracked, or 11 where their number is known. */
#include "record/room.h"

#include <stddef.h>
#include <sys/resource.h>

#include "inside/program_limits.h"
#include "inside/say.h"

static bool is_enough(bool every_block, int resource, const char *what, const char *option)
{
    const uint64_t least = every_block ? UINT64_C(1) << 30 : UINT64_C(16) << 20;
    if (limits_of(resource) >= least)
        return true;
    say(every_block ? "recording every block: " : "recording: ", what, " limited to less than ",
        every_block ? "1 GB" : "16 MB", " (ulimit ", option,
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
    uint64_t space = limits_of(RLIMIT_AS), data = limits_of(RLIMIT_DATA);
    uint64_t share = (space < data ? space : data) / LIMITS_SHARE;
    return TABLE_BYTES * most <= share ? most : 0;
}
