#include "report/advice/cpp_nodes.h"

double cpp_node_overhead(const struct evidence *evidence)
{
    static const struct {
        const char *container, *maker;
        double bytes;
    } nodes[] = {
        {"std::_Rb_tree", "node", 32},
        {"std::__cxx11::list", "node", 16},
        {"std::list", "node", 16},
        {"std::forward_list", "node", 8},
        {"std::_Hashtable", "_M_allocate_node", 8},
        {"std::__detail::", "_M_allocate_node", 8},
    };
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        if (evidence_has_call(evidence, nodes[i].container) &&
            evidence_has_call(evidence, nodes[i].maker))
            return nodes[i].bytes;
    return 0;
}

double cpp_without_nodes(const struct evidence *evidence)
{
    return evidence->figures->bytes - evidence->figures->objects * cpp_node_overhead(evidence);
}

#define SORTED_MAP                                                                                 \
    "std::vector<std::pair<int, int>> table; /* sorted once, then std::lower_bound */"
#define SORTED_SET "std::vector<int> seen; /* sorted once, then std::binary_search */"

const struct advice_example *cpp_node_example(const struct evidence *evidence)
{
    static const struct {
        const char *call;
        struct advice_example example;
    } containers[] = {
        {"std::unordered_map::", {"std::unordered_map<int, int> table;", SORTED_MAP}},
        {"std::unordered_multimap::", {"std::unordered_multimap<int, int> table;", SORTED_MAP}},
        {"std::unordered_set::", {"std::unordered_set<int> seen;", SORTED_SET}},
        {"std::unordered_multiset::", {"std::unordered_multiset<int> seen;", SORTED_SET}},
        {"std::multimap::", {"std::multimap<int, int> table;", SORTED_MAP}},
        {"std::set::", {"std::set<int> seen;", SORTED_SET}},
        {"std::multiset::", {"std::multiset<int> seen;", SORTED_SET}},
        {"list::", {"std::list<int> all;", "std::vector<int> all;"}},
        {"std::map::", {"std::map<int, int> table;", SORTED_MAP}},
    };
    size_t i = 0, last = sizeof containers / sizeof *containers - 1;
    while (i < last && !evidence_has_call(evidence, containers[i].call))
        i++;
    return &containers[i].example;
}
