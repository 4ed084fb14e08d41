/* A list of points, each in a block of its own. */
#include <stdio.h>
#include <stdlib.h>

struct point {
    int x, y;
    struct point *next;
};

static struct point *point_new(int x, int y, struct point *next)
{
    struct point *point = malloc(sizeof *point); /* here: arena */
    point->x = x;
    point->y = y;
    point->next = next;
    return point;
}

int main(void)
{
    struct point *all = NULL;
    long sum = 0;
    for (int i = 0; i < 20000; i++)
        all = point_new(i, -i, all);
    for (struct point *point = all; point; point = point->next)
        sum += point->x;
    printf("%ld\n", sum);
    while (all) {
        struct point *next = all->next;
        free(all);
        all = next;
    }
}
