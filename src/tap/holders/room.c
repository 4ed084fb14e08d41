/* The copy shares the program's pages for as long as neither writes to them.  What it needs by itself is for its tables: for small
 * blocks up to half of what these take. */
#include "tap/holders/room.h"

#include <stddef.h>

#include "tap/inside/memory.h"

enum { BESIDES_BYTES = 32 << 20 };

const char *snapshot_room_lack(void)
{
    uint64_t resident = memory_resident();
    uint64_t wanted = BESIDES_BYTES + (resident == UINT64_MAX ? 0 : resident / 2);
    if (memory_left() < wanted)
        return "there is too little memory left in the machine";
    return memory_group_left() < wanted
               ? "there is too little memory left by the limit of the process's control group"
               : NULL;
}
