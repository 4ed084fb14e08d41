/* Gives every file of the folders named to a fuzz target: its corpus, in ordinary builds. */
#include <dirent.h>
#include <stdio.h>

#include "helpers/bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many inputs the folder has; 0 where there is something wrong with it. */
static unsigned replay(const char *folder)
{
    DIR *dir = opendir(folder);
    unsigned count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[4096];
        struct bytes bytes = {0};
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!bytes_load(&bytes, path)) {
            printf("# cannot read %s\n", path);
            count = 0;
            break;
        }
        LLVMFuzzerTestOneInput(bytes.items, bytes.size);
        bytes_release(&bytes);
        count++;
    }
    if (dir)
        closedir(dir);
    return count;
}

int main(int argc, char **argv)
{
    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++) {
        unsigned count = replay(argv[i]);
        printf("%s %d - %u inputs of %s\n", count ? "ok" : "not ok", i, count, argv[i]);
    }
    return 0;
}
