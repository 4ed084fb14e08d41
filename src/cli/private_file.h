/* Files that only their owner should read. */
#ifndef CLI_PRIVATE_FILE_H
#define CLI_PRIVATE_FILE_H

/* Warns if every user of this machine can read the file.  Ignores a file that can't be examined. */
void private_file_check(const char *path);

#endif
