#include "agent/client.h"

#include <errno.h>
#include <unistd.h>

enum { WRITE_MOST = 4096 }; /* PIPE_BUF: what a pipe takes at once if poll says that it takes any */

void client_release(struct client *client)
{
    text_release(&client->line);
    text_release(&client->queue);
}

/* ---- Output -------------------------------------------------------------------------------- */

bool client_has_output(const struct client *client)
{
    return !client->is_deaf && client->sent < client->queue.size;
}

bool client_takes_input(const struct client *client)
{
    return !client->is_over && client->queue.size - client->sent <= CLIENT_QUEUE_MOST;
}

void client_put(struct client *client, const char *bytes, size_t size)
{
    if (client->is_deaf)
        return;
    if (client->sent > client->queue.size / 2) {
        client->queue.size -= client->sent;
        memmove(client->queue.bytes, client->queue.bytes + client->sent, client->queue.size);
        client->sent = 0;
    }
    text_put(&client->queue, bytes, size);
    text_put_char(&client->queue, '\n');
    if (client->queue.failed)
        client->is_over = client->is_deaf = true;
}

void client_write(struct client *client)
{
    size_t size = client->queue.size - client->sent;
    ssize_t done = write(client->out, client->queue.bytes + client->sent,
                         size < WRITE_MOST ? size : WRITE_MOST);
    if (done > 0)
        client->sent += (size_t)done;
    else if (errno != EINTR && errno != EAGAIN)
        client->is_over = client->is_deaf = true;
    if (client->sent == client->queue.size)
        client->sent = client->queue.size = 0;
}

/* ---- Input --------------------------------------------------------------------------------- */

/* The end of the input ends its last line, too. */
static void end_input(struct client *client)
{
    client->is_over = true;
    if (client->line.size > 0)
        text_put_char(&client->line, '\n');
}

void client_read(struct client *client)
{
    char bytes[65536];
    ssize_t size = read(client->in, bytes, sizeof bytes);
    if (size > 0)
        text_put(&client->line, bytes, (size_t)size);
    else if (size == 0 || (errno != EINTR && errno != EAGAIN))
        end_input(client);
    client->is_over |= client->line.failed;
}

static bool is_blank(const char *bytes, size_t size)
{
    size_t i = 0;
    while (i < size && memchr(" \t\r", bytes[i], 3))
        i++;
    return i == size;
}

static void drop(struct client *client, size_t size)
{
    client->line.size -= size;
    memmove(client->line.bytes, client->line.bytes + size, client->line.size);
    client->searched = 0;
}

void client_done(struct client *client, size_t size)
{
    drop(client, size + 1);
}

/* Of a line that is too long, nothing is kept but that it was. */
static enum client_line no_line(struct client *client)
{
    bool is_long = client->line.size > CLIENT_LINE_MOST || client->is_skipped;
    bool is_first = is_long && !client->is_skipped;
    client->is_skipped = is_long;
    if (is_long)
        drop(client, client->line.size);
    client->searched = client->line.size;
    return is_first ? CLIENT_TOO_LONG : CLIENT_NONE;
}

enum client_line client_next(struct client *client, const char **bytes, size_t *size)
{
    while (client->line.size > client->searched) {
        char *from = client->line.bytes + client->searched;
        char *end = memchr(from, '\n', client->line.size - client->searched);
        if (!end)
            break;
        *bytes = client->line.bytes;
        *size = (size_t)(end - client->line.bytes);
        if (!client->is_skipped && !is_blank(*bytes, *size))
            return CLIENT_LINE;
        client->is_skipped = false;
        client_done(client, *size);
    }
    return no_line(client);
}
