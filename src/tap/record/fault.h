/* A trace that somebody cuts short while it is written as memory: the kernel sends SIGBUS for what lay behind its new end. */
#ifndef RECORD_FAULT_H
#define RECORD_FAULT_H

/* From now on such a signal ends the recording instead of the program; all others are the program's. */
void fault_watch(void);

#endif
