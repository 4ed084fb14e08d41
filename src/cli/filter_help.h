/* `heaptap help filters`. */
#ifndef CLI_FILTER_HELP_H
#define CLI_FILTER_HELP_H

void filter_help_print(void);

/* `heaptap help clauses`, for completion: each word with = after it, and with each value that it is often given. */
void filter_help_print_clauses(void);

#endif
