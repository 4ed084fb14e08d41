/* Orders of magnitude, for estimates that are made before looking (Fermi's): two figures more than a factor of ten apart say that
 * something is misunderstood. */
#ifndef BASE_MAGNITUDE_H
#define BASE_MAGNITUDE_H

#include <stdbool.h>

/* Are they within a factor of ten of each other?  Nothing is only near nothing. */
bool magnitude_is_near(double measured, double expected);

#endif
