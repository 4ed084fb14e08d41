#include "cli/terminal/ncurses.h"

NET_LIBRARY(ncurses, LIBNCURSESW, NCURSES_FUNCTIONS)
