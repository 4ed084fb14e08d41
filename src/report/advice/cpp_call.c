#include "report/advice/cpp_call.h"

#include <string.h>

const char *cpp_called(const struct evidence *evidence)
{
    return evidence->call_count > 0 ? evidence->calls[0] : "";
}

bool cpp_is_container(const struct evidence *evidence)
{
    static const char *const containers[] = {"vector::vector",     "basic_string::basic_string",
                                             "deque::deque",       "map::map",
                                             "set::set",           "list::list",
                                             "queue::queue",       "stack::stack",
                                             "valarray::valarray", NULL};
    const char *call = cpp_called(evidence);
    for (size_t i = 0; containers[i]; i++)
        if (strstr(call, containers[i]))
            return true;
    return false;
}

bool cpp_is_own(const struct evidence *evidence)
{
    const char *called = cpp_called(evidence);
    return !*called || strstr(called, "make_") || strstr(called, "operator new");
}
