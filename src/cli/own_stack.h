/* Room for heaptap's own frames, and for its libraries', where the shell's limit on stacks is small (ulimit -s). */
#ifndef CLI_OWN_STACK_H
#define CLI_OWN_STACK_H

/* What `function` returns, called on a stack that is large enough; threads that it makes have such, too.  To be called
 * once, before there are threads. */
int own_stack_run(int (*function)(int argc, char **argv), int argc, char **argv);

#endif
