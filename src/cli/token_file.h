/* A token, the first line of a file: on a command line anybody on the machine could read it. */
#ifndef CLI_TOKEN_FILE_H
#define CLI_TOKEN_FILE_H

/* malloc'ed; NULL with a message. */
char *token_file_read(const char *path);

#endif
