#include "base/magnitude.h"

#include <math.h>

static const double rounding = 1e-12;

bool magnitude_is_near(double measured, double expected)
{
    if (measured <= 0 || expected <= 0)
        return measured == expected;
    return fabs(log10(measured / expected)) <= 1 + rounding;
}
