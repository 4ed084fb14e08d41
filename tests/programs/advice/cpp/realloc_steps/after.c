#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int *all = NULL, capacity = 8;
    for (int i = 0; i < 4000; i++) {
        if (i % capacity == 0 || !all)
            all = realloc(all, (size_t)(capacity *= 2) * sizeof *all);
        all[i] = i;
    }
    printf("%d\n", all[3999]);
    free(all);
    return 0;
}
