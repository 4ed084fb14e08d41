#include "base/saturate.h"

const char saturate_note[] =
    "values of 2^63 and more are cut to 2^63 - 1, the largest number of this format";
