#include "cli/private_file.h"

#include <sys/stat.h>

#include "cli/cli.h"

void private_file_check(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & S_IROTH))
        cli_warn("%s: note: every user of this machine can read it; `chmod o-r` prevents that",
                 path);
}
