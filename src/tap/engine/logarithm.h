/* Logarithm and square root of doubles without libm, which a traced process need not have loaded.
 *
 * log x.  x = 2^e m with m in [sqrt(1/2), sqrt 2), so that e = 0 for x near 1 and no digits cancel
 * there.  With s = (m - 1) / (m + 1), log m = 2 atanh s = 2 (s + s^3/3 + s^5/5 + ...).  |s| <= 3 -
 * 2 sqrt 2 < 0.1716; what is left out after s^19/19 is less than s * 2.4e-17.  Rounding is larger
 * than that: the relative error stays below 2^-51 (tests/unit/test_sampler.c measures it).  No
 * branch and no table, so that a loop over it vectorises. */
#ifndef TAP_ENGINE_LOGARITHM_H
#define TAP_ENGINE_LOGARITHM_H

#include <stdint.h>
#include <string.h>

static inline uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* 2 atanh s for |s| < 0.1716. */
static inline double twice_atanh(double s)
{
    double z = s * s;
    double tail = 1.0 / 19;
    tail = tail * z + 1.0 / 17;
    tail = tail * z + 1.0 / 15;
    tail = tail * z + 1.0 / 13;
    tail = tail * z + 1.0 / 11;
    tail = tail * z + 1.0 / 9;
    tail = tail * z + 1.0 / 7;
    tail = tail * z + 1.0 / 5;
    tail = tail * z + 1.0 / 3;
    return 2 * s + 2 * s * (z * tail);
}

/* log x; x positive and normal. */
static inline double natural_log(double x)
{
    const uint64_t sqrt_half = 0x3FE6A09E667F3BCDu; /* bits of sqrt(1/2) */
    const uint64_t bias = 1024;
    uint64_t bits = double_bits(x);
    uint64_t exponent = (bits - sqrt_half + (bias << 52)) >> 52; /* e + bias, not negative */
    double m = double_of_bits(bits - (exponent << 52) + (bias << 52));
    double e = double_of_bits(0x4330000000000000u | exponent) - (0x1p52 + 1024);
    return e * 0.69314718055994530942 + twice_atanh((m - 1) / (m + 1));
}

/* log(1 - x); x in [0, 1), accurate for small x too, where 1 - x would round it away. */
static inline double natural_log_1m(double x)
{
    return x < 0.25 ? -twice_atanh(x / (2 - x)) : natural_log(1 - x);
}

/* sqrt x; x positive and normal.  Four steps of Newton from a guess with the exponent halved: the
 * guess is off by 7 % at most, and each step squares that. */
static inline double square_root(double x)
{
    double y = double_of_bits((double_bits(x) >> 1) + 0x1FF7A3BEA91D9B1Bu);
    for (int i = 0; i < 4; i++)
        y = 0.5 * (y + x / y);
    return y;
}

#endif
