/* The environment, read and changed without libc's functions, which take locks and may allocate;
 * and how the recorder gets into a program by it.
 *
 * What heaptap adds for a recorder stands after the program's own entries, after a mark, and is
 * taken away by the recorder before the program looks: LD_PRELOAD with our library in front of the
 * program's own value, of which the loader takes the last entry and getenv the first, and the
 * settings.  So the program and all that it starts see the environment that they were given.
 * A user may also set these variables by hand, without the mark. */
#ifndef TAP_INSIDE_ENVIRONMENT_H
#define TAP_INSIDE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#define SETTING_TRACE "MEMTRACE"
#define SETTING_FOLLOWED "HEAPTAP_FOLLOWED"
#define SETTING_RATE "MEMTRACE_RATE"
#define SETTING_BUDGET "HEAPTAP_BUDGET"
#define SETTING_ALL "HEAPTAP_ALL"
#define SETTING_CALLSTACK "HEAPTAP_CALLSTACK_SIZE"
#define SETTING_CONTEXT "HEAPTAP_CONTEXT"
#define SETTING_FOLLOW "HEAPTAP_FOLLOW"
#define SETTING_DURATION "HEAPTAP_DURATION"
#define SETTING_MAX_SIZE "HEAPTAP_MAX_SIZE"
#define SETTING_TOGGLE "HEAPTAP_TOGGLE"
#define SETTING_SIGNAL "HEAPTAP_SIGNAL"
#define SETTING_START "HEAPTAP_START"
#define SETTING_NOTES "HEAPTAP_NOTES"
#define SETTING_EVERY "HEAPTAP_EVERY"
#define SETTING_KEEP "HEAPTAP_KEEP" /* a folder, or: */
#define SETTING_KEEP_BESIDE "1"
#define SETTING_HOLDERS "HEAPTAP_HOLDERS"
#define SETTING_HOLDERS_ABOVE "HEAPTAP_HOLDERS_ABOVE"
#define SETTING_HOLDERS_EVERY "HEAPTAP_HOLDERS_EVERY"
#define SETTING_GUESTS "HEAPTAP_GUESTS"

/* Of adapters for interpreters (tap/guest/): what is asked of them, "1" where nothing else is said; and how their files' names begin. */
#define GUEST_FOLDER "HEAPTAP_GUEST_DIR" /* where their reports go, without which they do nothing */
#define GUEST_RECORD "HEAPTAP_GUEST_RECORD"   /* the number of the process of heaptap record */
#define GUEST_TRACE "HEAPTAP_GUEST_TRACE"     /* the name of the trace's file */
#define GUEST_RATE "HEAPTAP_GUEST_RATE"       /* samples per 8-byte word, below 1 */
#define GUEST_BUDGET "HEAPTAP_GUEST_BUDGET"   /* blocks, at which the rate is halved */
#define GUEST_STACKS "HEAPTAP_GUEST_STACKS"   /* each block with its callers */
#define GUEST_FAST "HEAPTAP_GUEST_FAST"       /* lines may be approximate where exact ones cost */
#define GUEST_SEED "HEAPTAP_GUEST_SEED"       /* of the coin; a number */
#define GUEST_CONTEXT "HEAPTAP_GUEST_CONTEXT" /* what the trace says of what it is for */
#define GUEST_HOLDERS                                                                              \
    "HEAPTAP_GUEST_HOLDERS" /* what holds objects is looked at when the program ends */
#define GUEST_NOTES "HEAPTAP_GUEST_NOTES" /* as SETTING_NOTES */
#define GUEST_LIBRARIES "/libheaptap-"

#define ENVIRONMENT_PRELOAD "LD_PRELOAD"
#define ENVIRONMENT_MARK "HEAPTAP_ADDED=1"

/* The value of `name`, of the first entry or the last; or NULL. */
const char *environment_get(char *const *environment, const char *name);
const char *environment_last(char *const *environment, const char *name);

/* ---- In the recorder ---------------------------------------------------------------- */

/* Takes from this process's environment what heaptap added after the mark.  Returns the settings,
 * in memory of their own, as an environment: what was added, or where nothing was, all of them that
 * there are.  NULL without memory. */
char *const *environment_take(char **environment);

/* Leaves out what was added after the mark. */
void environment_strip(char **environment);

/* For a process that is recorded: takes away what a user has set by hand, too. */
void environment_leave(char **environment);

/* From now on environment_for has something to add: this library, these settings, but
 * SETTING_FOLLOWED, with the absolute pattern `child_pattern`, in place of SETTING_TRACE, so that a
 * child neither takes our file for its own nor is recorded twice, once by us and once by its
 * runtime.  What is given stays the caller's, who keeps it. */
void environment_follow(const char *library, char *const *settings, const char *child_pattern);

/* From now on there is nothing to add. */
void environment_unfollow(void);

/* Whether a program that is started with `environment` is to get something added. */
bool environment_lacks_us(char *const *environment);

/* Whether another recording has added what is to record it: that of a heaptap which is recorded itself. */
bool environment_is_others(char *const *environment);

/* The library that is added. */
const char *environment_library(void);

/* Entries and bytes that environment_for needs. */
size_t environment_entries(char *const *environment);
size_t environment_bytes(char *const *environment);

/* `environment` with what is to be added, in `extended`; its LD_PRELOAD is put together in
 * `bytes`. */
void environment_for(char **extended, char *bytes, char *const *environment);

#endif
