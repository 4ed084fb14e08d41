/* Messages in a queue of a thousand: each is a block, and not many are there at once. */
#include <stdio.h>
#include <stdlib.h>

struct message {
    long number, text[3];
};

int main(void)
{
    struct message *queue[1000] = {NULL};
    long sum = 0;
    for (int i = 0; i < 50000; i++) {
        struct message *message = malloc(sizeof *message); /* here: pool */
        message->number = i;
        if (queue[i % 1000])
            sum += queue[i % 1000]->number;
        free(queue[i % 1000]);
        queue[i % 1000] = message;
    }
    for (int i = 0; i < 1000; i++)
        free(queue[i]);
    printf("%ld\n", sum);
    return 0;
}
