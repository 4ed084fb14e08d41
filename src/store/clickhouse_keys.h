/* The numbers by which ClickHouse's tables know things. */
#ifndef STORE_CLICKHOUSE_KEYS_H
#define STORE_CLICKHOUSE_KEYS_H

#include <string.h>
#include <xxhash.h>

/* Of a text, such as a series by its labels. */
static inline uint64_t clickhouse_id(const char *text, size_t size)
{
    return XXH3_64bits(text, size);
}

/* Of a stack, of its last node's hash: the first 64 bits of it. */
static inline uint64_t clickhouse_stack(const uint8_t *hash)
{
    uint64_t number;
    memcpy(&number, hash, sizeof number);
    return number;
}

/* The day of a time, since the Unix epoch, as ClickHouse's Date has it. */
static inline uint16_t clickhouse_day(int64_t us)
{
    int64_t day = us / (INT64_C(86400) * 1000000);
    return (uint16_t)(day < 0 ? 0 : day > UINT16_MAX ? UINT16_MAX : day);
}

#endif
