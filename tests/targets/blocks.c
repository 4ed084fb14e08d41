/* 2000 blocks of 1000 bytes, kept; says how many there was no memory for.  Status 7. */
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int failed = 0;
    for (int i = 0; i < 2000; i++) {
        void *volatile block = malloc(1000);
        failed += !block;
    }
    printf("%d failed\n", failed);
    return 7;
}
