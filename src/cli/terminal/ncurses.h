/* The functions of ncurses that are used, once ncurses_load has succeeded: to be included in place of its own header.  One that is used
 * and not listed here does not link. */
#ifndef CLI_TERMINAL_NCURSES_H
#define CLI_TERMINAL_NCURSES_H

#define NCURSES_NOMACROS
#include <ncurses.h>

#include "net/library.h"

/* clang-format off */
#define NCURSES_FUNCTIONS(X) \
    X(cbreak) \
    X(curs_set) \
    X(def_prog_mode) \
    X(delscreen) \
    X(endwin) \
    X(keypad) \
    X(newterm) \
    X(newwin) \
    X(noecho) \
    X(set_escdelay) \
    X(tigetstr) \
    X(waddnstr) \
    X(wattrset) \
    X(wclrtoeol) \
    X(werase) \
    X(wgetch) \
    X(wmove) \
    X(wrefresh) \
    X(wresize) \
    X(wtimeout)
/* clang-format on */

extern struct ncurses {
    NCURSES_FUNCTIONS(NET_MEMBER)
} ncurses;

enum heaptap_status ncurses_load(struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#define cbreak ncurses.cbreak
#define curs_set ncurses.curs_set
#define def_prog_mode ncurses.def_prog_mode
#define delscreen ncurses.delscreen
#define endwin ncurses.endwin
#define keypad ncurses.keypad
#define newterm ncurses.newterm
#define newwin ncurses.newwin
#define noecho ncurses.noecho
#define set_escdelay ncurses.set_escdelay
#define tigetstr ncurses.tigetstr
#define waddnstr ncurses.waddnstr
#define wattrset ncurses.wattrset
#define wclrtoeol ncurses.wclrtoeol
#define werase ncurses.werase
#define wgetch ncurses.wgetch
#define wmove ncurses.wmove
#define wrefresh ncurses.wrefresh
#define wresize ncurses.wresize
#define wtimeout ncurses.wtimeout

#endif
