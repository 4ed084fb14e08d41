#include "tap/record/room.h"

#include <stddef.h>

#include "tap/inside/program.h"
#include "tap/inside/program_limits.h"
#include "tap/inside/say.h"

bool room_is_enough(bool every_block)
{
    const char *what = program_lacks_room(every_block);
    if (what)
        say_loss("the program", what, ": it runs without being recorded", NULL);
    return !what;
}

uint64_t room_expected(uint64_t most)
{
    enum { TABLE_BYTES = 128 }; /* a block, at most */
    return TABLE_BYTES * most <= limits_share() ? most : 0;
}
