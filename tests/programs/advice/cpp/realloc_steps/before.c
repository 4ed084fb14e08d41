/* An array that grows by a few numbers at a time. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int *all = NULL;
    for (int i = 0; i < 4000; i++) {
        if (i % 8 == 0)
            all = realloc(all, (size_t)(i + 8) * sizeof *all); /* here: realloc-steps */
        all[i] = i;
    }
    printf("%d\n", all[3999]);
    free(all);
    return 0;
}
