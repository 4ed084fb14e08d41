/* Commands that this program has a shell run. */
#ifndef RECORD_SHELL_H
#define RECORD_SHELL_H

/* In a fork's child: no other thread is at it. */
void shell_forked(void);

#endif
