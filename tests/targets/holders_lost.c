/* Messages of which some are forgotten, for ever and throughout the run, and others kept in a list. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct message {
    struct message *next;
    char text[500];
};

static struct message *list;

__attribute__((noinline)) static struct message *parse(int number)
{
    struct message *message = malloc(sizeof *message); /* lost */
    memset(message->text, number, sizeof message->text);
    return message;
}

__attribute__((noinline)) static void keep(int number)
{
    struct message *message = malloc(sizeof *message); /* kept */
    memset(message->text, number, sizeof message->text);
    message->next = list;
    list = message;
}

int main(void)
{
    for (int i = 0; i < 3000; i++) {
        struct message *message = parse(i);
        if (message->text[0] % 7 != 0)
            free(message);
        if (i % 15 == 0)
            keep(i);
        if (i % 10 == 0)
            usleep(1000);
    }
    return list == NULL;
}
