#include "fleet/ingest/accepted.h"

struct ingest_limits ingest_limits_usual(void)
{
    return (struct ingest_limits){.body_bytes = 16 << 20,
                                  .unpacked_bytes = 256 << 20,
                                  .depth = 1024,
                                  .items = 10000000,
                                  .nodes = 200000,
                                  .series = 10000,
                                  .per_second = 1000,
                                  .age_us = INT64_C(30) * 86400 * 1000000,
                                  .seconds = 60};
}
