/* Whether there is memory for a snapshot. */
#ifndef TAP_HOLDERS_ROOM_H
#define TAP_HOLDERS_ROOM_H

#include <stdint.h>

/* NULL where there is; else why there is not. */
const char *snapshot_room_lack(void);

#endif
