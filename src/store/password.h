/* Passwords of servers, kept out of what is shown. */
#ifndef STORE_PASSWORD_H
#define STORE_PASSWORD_H

#include <stddef.h>

/* Takes the password out of an argument with clickhouse://USER:PASSWORD@HOST, in place, and remembers it for USER@HOST: so
 * neither messages nor reports, nor a list of processes, show it.  Others stay as they are. */
void store_hide_password(char *argument);

/* The password for USER@HOST:PORT, of `size` bytes; NULL where there was none.  Borrowed. */
const char *store_password_of(const char *server, size_t size);

#endif
