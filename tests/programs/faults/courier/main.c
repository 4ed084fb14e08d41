#include "parcel.h"
#include "pool.h"
#include <stdio.h>

enum { ROUNDS = 40, PARCELS = 500 };

static void load(struct parcel **van, int round)
{
    char line[256];
    for (int i = 0; i < PARCELS; i++) {
        snprintf(
            line, sizeof line,
            "%d Harbour Street;%d;please ring twice, and leave it with the neighbours if nobody opens (%d)",
            i, i % 30, round);
        van[i] = parcel_read(line);
    }
}

int main(void)
{
    long weight = 0;
    struct parcel **van = get_bytes(PARCELS * sizeof *van);
    char *map = get_bytes(200000);
    for (int round = 0; round < ROUNDS; round++) {
        load(van, round);
        for (int i = 0; i < PARCELS; i++) {
            weight += van[i]->weight;
            parcel_free(van[i]);
        }
    }
    printf("%ld\n", weight);
    put_back(map);
    put_back(van);
    return 0;
}
