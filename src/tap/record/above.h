/* Upwards.  Hooks call the recorder, and nothing in the recorder leans on hooks, but for these four: what files of hooks have
 * to do when the recorder begins, meets a thread, or finds itself in a forked child. */
#ifndef TAP_RECORD_ABOVE_H
#define TAP_RECORD_ABOVE_H

/* operators.c: looks for the program's own operator new and delete.  To be called before recording begins: what cannot be
 * found makes the loader allocate. */
void operators_find(void);

/* process.c: begins to watch forks, ends of threads and of the process. */
void process_watch(void);

/* process.c: a thread is seen for the first time: its end is to be noticed. */
void process_thread_met(void);

/* shell.c: in a fork's child, where no other thread is at it. */
void shell_forked(void);

#endif
