/* Starts children that can't write where it does: `lowered HOW CHILDREN OWN`.  HOW is "user" (they are another one), "root" (they have
 * another root folder), "net" (they are another user, in a network of their own), "folder" (it is not to be written to meanwhile) or
 * "none".  What a child has open, and OWN, go to standard error. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT = 77, NOBODY = 65534 };

static void allocate(void)
{
    for (int i = 0; i < 1000; i++) {
        char *volatile block = malloc(100);
        *block = 1;
    }
}

static int lower(const char *how)
{
    if (strcmp(how, "net") == 0 && unshare(CLONE_NEWNET) != 0)
        return CANNOT;
    if (strcmp(how, "root") == 0)
        return chroot("/proc/self/fdinfo") == 0 ? 0 : CANNOT;
    if (strcmp(how, "folder") == 0)
        return chmod(".", 0555) == 0 && getuid() != 0 ? 0 : CANNOT;
    return strcmp(how, "none") == 0 || setuid(NOBODY) == 0 ? 0 : CANNOT;
}

int main(int count, char **words)
{
    allocate();
    if (lower(words[1]) != 0)
        return CANNOT;
    for (int i = 0; i < atoi(words[2]); i++)
        if (fork() == 0) {
            allocate();
            for (int fd = STDERR_FILENO + 1; fd < 1024; fd++)
                if (fcntl(fd, F_GETFD) >= 0)
                    dprintf(STDERR_FILENO, "open: %d\n", fd);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    chmod(".", 0755);
    dprintf(STDERR_FILENO, "%s\n", words[3]);
    return 0;
}
