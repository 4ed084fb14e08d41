#include "base/saturate.h"

const char saturate_note[] =
    "values of 2^63 and more are cut to 2^63 - 1, and those of -2^63 and less to -2^63, the limits of "
    "this format";
