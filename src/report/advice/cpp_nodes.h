/* Containers of C++'s standard library that take a block for each element. */
#ifndef REPORT_ADVICE_CPP_NODES_H
#define REPORT_ADVICE_CPP_NODES_H

#include "report/advice/cause.h"

/* Pointers in a node of the container, libstdc++'s, in bytes; 0: it is none. */
double cpp_node_overhead(const struct evidence *evidence);

/* The bytes of the elements. */
double cpp_without_nodes(const struct evidence *evidence);

/* The container that it is, and what does without nodes. */
const struct advice_example *cpp_node_example(const struct evidence *evidence);

#endif
