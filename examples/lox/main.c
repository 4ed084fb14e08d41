/* lox: runs a program of Lox.
 *
 *     lox SCRIPT      lox -c CODE      lox -     (standard input)
 *
 * Statuses: 0; 64 for wrong usage, 65 for a program that can't be compiled, 66 for one that can't
 * be read, 70 for one that failed, 71 when memory runs out. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "vm.h"

static char *read_all(FILE *file)
{
    size_t size = 0, capacity = 4096;
    char *text = malloc(capacity + 1);
    while (text) {
        size += fread(text + size, 1, capacity - size, file);
        if (size < capacity)
            break;
        char *larger = realloc(text, 2 * capacity + 1);
        if (!larger)
            free(text);
        text = larger;
        capacity *= 2;
    }
    if (text)
        text[size] = 0;
    return text && !ferror(file) ? text : NULL;
}

static int run(const char *source, const char *script)
{
    static struct vm vm;
    vm_init(&vm, script);
    int status = vm_run(&vm, source);
    vm_release(&vm);
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "-c") == 0)
        return run(argv[2], "-c");
    if (argc != 2) {
        fputs("usage: lox SCRIPT | lox -c CODE | lox -\n", stderr);
        return 64;
    }
    bool input = strcmp(argv[1], "-") == 0;
    FILE *file = input ? stdin : fopen(argv[1], "r");
    char *source = file ? read_all(file) : NULL;
    if (!source) {
        fprintf(stderr, "lox: %s: %s\n", argv[1], strerror(errno));
        return 66;
    }
    if (!input)
        fclose(file);
    int status = run(source, input ? "(stdin)" : argv[1]);
    free(source);
    return status;
}
