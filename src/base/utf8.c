#include "base/utf8.h"

static int length_of(uint8_t first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first < 0xe0)
        return 2;
    if (first >= 0xe0 && first < 0xf0)
        return 3;
    if (first >= 0xf0 && first < 0xf5)
        return 4;
    return 0;
}

int utf8_decode(const char *text, uint32_t *character)
{
    static const uint8_t first_mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t *bytes = (const uint8_t *)text;
    int size = length_of(bytes[0]);
    uint32_t value = bytes[0] & first_mask[size];
    *character = UTF8_BAD;
    for (int i = 1; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 1;
        value = value << 6 | (bytes[i] & 0x3f);
    }
    if (size == 0 || value < least[size] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return 1;
    *character = value;
    return size;
}
