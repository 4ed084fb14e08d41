/* Writes the trace of helpers/story.h to standard output. */
#include <stdio.h>

#include "helpers/story.h"

int main(void)
{
    struct bytes bytes = {0};
    story_write(&bytes);
    bool done = fwrite(bytes.items, 1, bytes.size, stdout) == bytes.size && fflush(stdout) == 0;
    bytes_release(&bytes);
    return done ? 0 : 1;
}
