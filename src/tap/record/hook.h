/* How the functions are marked that stand in front of libc's. */
#ifndef TAP_RECORD_HOOK_H
#define TAP_RECORD_HOOK_H

#define HOOK __attribute__((visibility("default")))

/* A slow path: jumped to as the last thing a hook does, so that its caller is the hook's caller.
 * The build gives it a frame pointer. */
#define SLOW static __attribute__((noinline))

#endif
