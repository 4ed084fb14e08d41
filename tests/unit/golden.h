/* Traces that must always be read in the same way. */
#ifndef UNIT_GOLDEN_H
#define UNIT_GOLDEN_H

#include "unit/unit.h"

static const char *const golden_names[] = {
    "irmin-replay-v2", "lists-and-sets-v1", "ocamlopt-small-v2", "ocamlopt-small-v3", "ocamlopt-v1",
};

enum { GOLDEN_TRACES = sizeof golden_names / sizeof golden_names[0] };

/* To be released. */
static struct bytes golden_load(const char *name)
{
    char path[512];
    struct bytes bytes = {0};
    snprintf(path, sizeof path, "%s/valid/%s.ctf", GOLDEN_DIR, name);
    assert_true(bytes_load(&bytes, path));
    return bytes;
}

#endif
