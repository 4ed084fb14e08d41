#include "cli/record/running.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* It has ended, but nobody has asked how. */
static bool is_zombie(pid_t pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && (name_end[2] == 'Z' || name_end[2] == 'X');
}

bool process_is_running(pid_t pid)
{
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) && !is_zombie(pid);
}
