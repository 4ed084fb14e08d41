#include "parcel.h"
#include "pool.h"
#include <stdlib.h>
#include <string.h>

/* "to;weight;note" */
struct parcel *parcel_read(const char *line)
{
    char *copy = get_text(line), *rest = copy;
    struct parcel *parcel = get_bytes(sizeof *parcel);
    parcel->to = get_text(strsep(&rest, ";"));
    const char *weight = strsep(&rest, ";");
    parcel->weight = weight ? atoi(weight) : 0;
    parcel->note = get_text(rest ? rest : "");
    put_back(copy);
    return parcel;
}

void parcel_free(struct parcel *parcel)
{
    put_back(parcel->to);
    put_back(parcel);
}
