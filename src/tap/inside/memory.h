/* Memory that the machine and the process's control group have, as the kernel says, asked for without libc's files. */
#ifndef TAP_INSIDE_MEMORY_H
#define TAP_INSIDE_MEMORY_H

#include <stdint.h>

/* Resident memory of its own, and what is left of the machine's and of the control group's; UINT64_MAX where that is not known or not limited. */
uint64_t memory_resident(void);
uint64_t memory_left(void);
uint64_t memory_group_left(void);

/* The limits of a group and of those around it, of version 2 or 1: the least; UINT64_MAX for none.  `folder` is where groups are mounted,
 * `groups` what /proc/self/cgroup has, which is changed. */
uint64_t memory_group_limit(const char *folder, char *groups);

/* What the process can have at most: the least of its control group's limit, its address space's and the machine's memory. */
struct memory_limit {
    const char *of; /* "cgroup", "address-space", "machine" */
    uint64_t bytes; /* UINT64_MAX where nothing is known */
};
struct memory_limit memory_limit(void);

#endif
