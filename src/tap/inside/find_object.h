/* glibc's _dl_find_object, which finds the module around an address without a lock. */
#ifndef TAP_INSIDE_FIND_OBJECT_H
#define TAP_INSIDE_FIND_OBJECT_H

#include <dlfcn.h>
#include <features.h>

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
typedef int find_object_function(void *address, struct dl_find_object *found);

/* NULL where the glibc of this process is older than 2.35.  May be called anywhere. */
find_object_function *find_object(void);
#endif

#endif
