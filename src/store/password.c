#include "store/password.h"

#include <stdlib.h>
#include <string.h>

static struct hidden {
    struct hidden *before;
    char *server, *password;
} * hidden; /* for as long as the process runs */

/* The last @ of what stands between :// and the next slash; NULL for none. */
static char *end_of_user(char *server)
{
    size_t size = strcspn(server, "/ ");
    while (size > 0 && server[size - 1] != '@')
        size--;
    return size > 0 ? server + size - 1 : NULL;
}

static void remember(char *server, const char *password, size_t size)
{
    struct hidden *one = calloc(1, sizeof *one);
    if (!one)
        return;
    one->before = hidden;
    one->server = strndup(server, strcspn(server, "/ "));
    one->password = strndup(password, size);
    hidden = one;
}

/* What is left over at the end of the argument is overwritten, too. */
void store_hide_password(char *argument)
{
    static const char scheme[] = "clickhouse://";
    char *server = strstr(argument, scheme);
    server = server ? server + strlen(scheme) : NULL;
    char *at = server ? end_of_user(server) : NULL;
    char *colon = at ? memchr(server, ':', (size_t)(at - server)) : NULL;
    if (!colon)
        return;
    size_t size = (size_t)(at - colon - 1), rest = strlen(at);
    char *password = strndup(colon + 1, size);
    memmove(colon, at, rest + 1);
    memset(colon + rest, 0, size + 1);
    remember(server, password ? password : "", password ? size : 0);
    free(password);
}

const char *store_password_of(const char *server, size_t size)
{
    for (const struct hidden *one = hidden; one; one = one->before)
        if (one->server && strlen(one->server) == size && memcmp(one->server, server, size) == 0)
            return one->password;
    return NULL;
}
