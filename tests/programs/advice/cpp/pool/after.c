#include <stdio.h>
#include <stdlib.h>

struct message {
    long number, text[3];
};

int main(void)
{
    static struct message pool[1001], *unused[1001];
    struct message *queue[1000] = {NULL};
    int left = 1001;
    long sum = 0;
    for (int i = 0; i < 1001; i++)
        unused[i] = &pool[i];
    for (int i = 0; i < 50000; i++) {
        struct message *message = unused[--left];
        message->number = i;
        if (queue[i % 1000]) {
            sum += queue[i % 1000]->number;
            unused[left++] = queue[i % 1000];
        }
        queue[i % 1000] = message;
    }
    printf("%ld\n", sum);
    return 0;
}
