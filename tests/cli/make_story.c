/* Writes the trace of helpers/story.h to standard output, or some of its blocks: a number as there. */
#include <stdio.h>
#include <stdlib.h>

#include "helpers/story.h"

int main(int count, char **words)
{
    struct bytes bytes = {0};
    story_write_some(&bytes, count > 1 ? (unsigned)atoi(words[1]) : ALL_BLOCKS);
    bool done = fwrite(bytes.items, 1, bytes.size, stdout) == bytes.size && fflush(stdout) == 0;
    bytes_release(&bytes);
    return done ? 0 : 1;
}
