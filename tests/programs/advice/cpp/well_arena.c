/* Nodes out of blocks of a thousand. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    long value;
};

int main(void)
{
    struct node *blocks[20], *list = NULL;
    long sum = 0;
    for (int i = 0; i < 20; i++) {
        blocks[i] = malloc(1000 * sizeof **blocks);
        for (int k = 0; k < 1000; k++) {
            blocks[i][k] = (struct node){list, k};
            list = &blocks[i][k];
        }
    }
    for (; list; list = list->next)
        sum += list->value;
    for (int i = 0; i < 20; i++)
        free(blocks[i]);
    printf("%ld\n", sum);
    return 0;
}
