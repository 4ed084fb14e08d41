/* What the recorder may take of a program's memory, where that is limited. */
#ifndef TAP_RECORD_ROOM_H
#define TAP_RECORD_ROOM_H

#include <stdbool.h>
#include <stdint.h>

/* Where the recorder would take what the program lacks then, a line says so and this is false. */
bool room_is_enough(bool every_block);

/* How many blocks the engine may expect, of `most`: its first table has a place for each. */
uint64_t room_expected(uint64_t most);

#endif
