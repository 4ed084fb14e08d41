/* Files that only their owner should read. */
#ifndef CLI_PRIVATE_FILE_H
#define CLI_PRIVATE_FILE_H

/* Warns where every user of this machine can read the file; of what can't be looked at, nothing is said. */
void private_file_check(const char *path);

#endif
