/* The names of trace files: patterns, and what becomes of them in children. */
#ifndef TAP_INSIDE_NAME_PATTERN_H
#define TAP_INSIDE_NAME_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Expands a pattern: %p the process id, %e the executable's base name, %t the time in UTC as
 * YYYYmmdd-HHMMSS, %% a percent sign; any other % stays as it is.  False if it does not fit. */
bool name_pattern_expand(char *name, size_t size, const char *pattern, const char *executable,
                         uint64_t pid, int64_t time_us);

/* Where a name's extension begins, before which children have their pid: at the last dot of its base name, unless that dot is its start; a
 * profile's is .pb.gz, a compressed trace's .ctf.gz or .ctf.zst. */
size_t name_pattern_stem(const char *name);

/* The pattern of followed children: absolute, and with `.%p` before the extension unless the
 * pattern has a %p already.  `folder` is the present one, where `parent` does not say it.  False if
 * it does not fit. */
bool name_pattern_of_child(char *pattern, size_t size, const char *folder, const char *parent);

/* The name with `-NUMBER` before its extension, for where it is another's. */
bool name_pattern_number(char *other, size_t size, const char *name, uint64_t number);

#endif
