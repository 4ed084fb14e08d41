/* The terminal as lines that are drawn and keys that are read (ncurses), restored however the program ends: by return, exit or a
 * signal.  While it is open, what is written to standard error is kept, and comes when it is closed. */
#ifndef CLI_TERMINAL_SCREEN_H
#define CLI_TERMINAL_SCREEN_H

#include <stdbool.h>

#include "heaptap/status.h"

/* Needs a terminal on standard input and output.  False with a sentence. */
bool screen_open(struct heaptap_error *error);
void screen_close(void);

struct screen_size {
    int rows, columns;
};

/* As it is now; takes up a new size. */
struct screen_size screen_size(void);

enum screen_look { SCREEN_PLAIN, SCREEN_BOLD, SCREEN_QUIET, SCREEN_BAR };

/* A line of text in plain form, cut to the width; a bar goes on to its end.  NULL for an empty one. */
void screen_put(int row, const char *text, enum screen_look look);

/* Shows what was put. */
void screen_show(void);

/* Keys that are no characters. */
enum screen_key {
    SCREEN_NOTHING = -1, /* the time is over */
    SCREEN_RESIZED = 0x10000,
    SCREEN_UP,
    SCREEN_DOWN,
    SCREEN_LEFT,
    SCREEN_RIGHT,
    SCREEN_PAGE_UP,
    SCREEN_PAGE_DOWN,
    SCREEN_HOME,
    SCREEN_END,
    SCREEN_ENTER,
    SCREEN_ESCAPE,
    SCREEN_ERASE,
};

/* The next key: a byte of a character, or one of the above.  Waits at most so long; below 0: for ever. */
int screen_key(int wait_ms);

#endif
