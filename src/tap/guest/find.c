#include "tap/guest/find.h"

#include <dlfcn.h>
#include <string.h>

/* Those of the native recorder (tap/record/adapters.c), where it is in the process. */
__attribute__((weak)) void heaptap_recorder_own_begin(void);
__attribute__((weak)) void heaptap_recorder_own_end(void);

bool guest_find(void *pointer, void *handle, const char *name)
{
    if (heaptap_recorder_own_begin)
        heaptap_recorder_own_begin();
    void *found = dlsym(handle, name);
    if (heaptap_recorder_own_end)
        heaptap_recorder_own_end();
    memcpy(pointer, &found, sizeof found);
    return found;
}
