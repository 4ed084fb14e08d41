#include "net/library.h"

#include <dlfcn.h>
#include <pthread.h>

#include "base/error.h"

static enum heaptap_status find_all(struct net_library *library, void *handle,
                                    struct heaptap_error *error)
{
    for (size_t i = 0; i < library->count; i++) {
        library->functions[i] = dlsym(handle, library->names[i]);
        if (!library->functions[i])
            return error_set(error, HEAPTAP_SYSTEM, "%s has no %s: is it another version?",
                             library->name, library->names[i]);
    }
    return HEAPTAP_OK;
}

static enum heaptap_status load(struct net_library *library, struct heaptap_error *error)
{
    void *handle = dlopen(library->name, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return error_set(error, HEAPTAP_SYSTEM,
                         "this needs a library that cannot be loaded: %.200s", dlerror());
    enum heaptap_status status = find_all(library, handle, error);
    if (status == HEAPTAP_OK)
        atomic_store(&library->is_loaded, true);
    else
        dlclose(handle);
    return status;
}

enum heaptap_status net_library_load(struct net_library *library, struct heaptap_error *error)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    enum heaptap_status status = HEAPTAP_OK;
    if (atomic_load(&library->is_loaded))
        return HEAPTAP_OK;
    pthread_mutex_lock(&lock);
    if (!atomic_load(&library->is_loaded))
        status = load(library, error);
    pthread_mutex_unlock(&lock);
    return status;
}
