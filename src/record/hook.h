/* How the functions are marked that stand in front of libc's. */
#ifndef RECORD_HOOK_H
#define RECORD_HOOK_H

#define HOOK __attribute__((visibility("default")))

/* A slow path: called as the last thing a hook does, so that its caller is the hook's caller. */
#define SLOW static __attribute__((noinline, optimize("no-omit-frame-pointer")))

#endif
