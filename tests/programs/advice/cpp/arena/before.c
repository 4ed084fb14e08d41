/* A tree of many nodes of one size, which live and die together. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *left, *right;
    long value;
};

static struct node *grow(int depth)
{
    struct node *node = malloc(sizeof *node); /* here: arena */
    node->value = depth;
    node->left = depth ? grow(depth - 1) : NULL;
    node->right = depth ? grow(depth - 1) : NULL;
    return node;
}

static long cut(struct node *node)
{
    if (!node)
        return 0;
    long sum = node->value + cut(node->left) + cut(node->right);
    free(node);
    return sum;
}

int main(void)
{
    printf("%ld\n", cut(grow(14)));
    return 0;
}
