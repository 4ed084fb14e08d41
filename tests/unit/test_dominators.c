/* Dominators of random graphs, against what is out of reach without each node. */
#include "run_tests.h"

#include <stdlib.h>
#include <string.h>

#include "holders/dominators.h"

enum { NODES_MOST = 40, EDGES_MOST = 4 * NODES_MOST, GRAPHS = 4000, NONE = NODES_MOST };

static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

struct drawn {
    size_t first[NODES_MOST + 1];
    uint32_t to[EDGES_MOST];
    struct flow_graph graph;
};

/* Edges of each node, itself among those it may lead to and some twice; in every other graph most lead to a node nearby, which makes
 * long chains and rings. */
static void draw_graph(struct drawn *drawn)
{
    uint32_t count = 1 + draw(NODES_MOST), most = 1 + draw(4), edge = 0;
    bool is_long = draw(2) == 0;
    for (uint32_t node = 0; node < count; node++) {
        drawn->first[node] = edge;
        for (uint32_t i = draw(most + 1); i > 0; i--)
            drawn->to[edge++] = is_long && draw(8) > 0 ? (node + 1 + draw(3)) % count : draw(count);
    }
    drawn->first[count] = edge;
    drawn->graph = (struct flow_graph){count, drawn->first, drawn->to};
}

/* Which nodes are reached when one is not there. */
static void reach(const struct flow_graph *graph, uint32_t node, uint32_t without, bool *is_reached)
{
    if (node == without || is_reached[node])
        return;
    is_reached[node] = true;
    for (size_t edge = graph->first[node]; edge < graph->first[node + 1]; edge++)
        reach(graph, graph->to[edge], without, is_reached);
}

static void check_graph(const struct flow_graph *graph)
{
    uint32_t immediate[NODES_MOST], order[NODES_MOST], reached;
    bool all[NODES_MOST] = {false}, is_behind[NODES_MOST] = {false},
         dominates[NODES_MOST] = {false};
    assert_true(dominators_find(graph, immediate, order, &reached));
    reach(graph, 0, NONE, all);
    uint32_t count = 0;
    for (uint32_t node = 0; node < graph->count; node++)
        count += all[node];
    assert_int_equal(reached, count);
    assert_int_equal(order[0], 0);
    for (uint32_t i = 0; i < reached; i++) {
        assert_true(i == 0 || is_behind[immediate[order[i]]]);
        is_behind[order[i]] = true;
    }
    for (uint32_t above = 0; above < graph->count; above++) {
        bool left[NODES_MOST] = {false};
        reach(graph, 0, above, left);
        for (uint32_t node = 0; node < graph->count; node++) {
            memset(dominates, 0, sizeof dominates);
            for (uint32_t at = node; all[node] && !dominates[at]; at = immediate[at])
                dominates[at] = true;
            assert_int_equal(dominates[above], all[node] && !left[node]);
            assert_int_equal(immediate[node] == UINT32_MAX, !all[node]);
        }
    }
}

static void random_graphs(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < GRAPHS; i++) {
        struct drawn drawn;
        draw_graph(&drawn);
        check_graph(&drawn.graph);
    }
}

/* A chain as long as a list of a program, whose end leads back to its start. */
static void long_ring(void **state)
{
    enum { COUNT = 1000000 };
    size_t *first = malloc((COUNT + 1) * sizeof *first);
    uint32_t *to = malloc(COUNT * sizeof *to), *immediate = malloc(COUNT * sizeof *immediate);
    uint32_t *order = malloc(COUNT * sizeof *order), reached;
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        first[i] = i;
        to[i] = (i + 1) % COUNT;
    }
    first[COUNT] = COUNT;
    assert_true(
        dominators_find(&(struct flow_graph){COUNT, first, to}, immediate, order, &reached));
    assert_int_equal(reached, COUNT);
    for (uint32_t i = 1; i < COUNT; i++)
        assert_int_equal(immediate[i], i - 1);
    free(first);
    free(to);
    free(immediate);
    free(order);
}

int main(void)
{
    return RUN_TESTS(random_graphs, long_ring);
}
