/* Tables whose entries are replaced, hundreds alive at once, in each of several threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3 };

static void *work(void *argument)
{
    unsigned seed = 1 + (unsigned)*(int *)argument;
    char *slots[500] = {0}, *few[50] = {0}, *ring[40] = {0};
    for (int i = 0; i < 20000; i++) {
        seed = seed * 1103515245U + 12345U;
        unsigned slot = (seed >> 10) % 500;
        free(slots[slot]);
        slots[slot] = malloc(70 + (seed >> 8) % 120);
        free(few[slot % 50]);
        few[slot % 50] = malloc(70 + (seed >> 8) % 120);
        free(ring[i % 40]);
        ring[i % 40] = malloc(120);
    }
    return slots[seed % 500];
}

int main(void)
{
    int numbers[THREADS] = {0, 1, 2};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    work(numbers);
    return 0;
}
