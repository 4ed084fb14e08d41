/* Large blocks in a ring: each dies soon, but not before the next is there. */
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *ring[4] = {0};
    for (int i = 0; i < 2000; i++) {
        free(ring[i % 4]);
        ring[i % 4] = malloc(100000);
        memset(ring[i % 4], i, 100000);
    }
    return ring[0][0] != 0;
}
