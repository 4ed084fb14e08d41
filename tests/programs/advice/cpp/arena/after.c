#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *left, *right;
    long value;
};

static struct node *nodes;
static size_t count;

static struct node *grow(int depth)
{
    struct node *node = &nodes[count++];
    node->value = depth;
    node->left = depth ? grow(depth - 1) : NULL;
    node->right = depth ? grow(depth - 1) : NULL;
    return node;
}

static long sum(const struct node *node)
{
    return node ? node->value + sum(node->left) + sum(node->right) : 0;
}

int main(void)
{
    nodes = malloc(32767 * sizeof *nodes);
    printf("%ld\n", sum(grow(14)));
    free(nodes);
    return 0;
}
