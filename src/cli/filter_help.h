/* `heaptap help filters`. */
#ifndef CLI_FILTER_HELP_H
#define CLI_FILTER_HELP_H

void filter_help_print(void);

#endif
