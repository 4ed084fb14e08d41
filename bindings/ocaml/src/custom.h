/* Custom blocks that have an end, and nothing else of their own. */
#ifndef CUSTOM_H
#define CUSTOM_H

#include <caml/custom.h>

#define CUSTOM_OPERATIONS(name, at_end)                                                            \
    {                                                                                              \
        .identifier = name, .finalize = at_end, .compare = custom_compare_default,                 \
        .compare_ext = custom_compare_ext_default, .hash = custom_hash_default,                    \
        .serialize = custom_serialize_default, .deserialize = custom_deserialize_default,          \
    }

#endif
