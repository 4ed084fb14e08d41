#include "cli/token_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/private_file.h"

enum { TOKEN_LEAST = 16, TOKEN_MOST = 512 };

char *token_file_read(const char *path)
{
    char line[TOKEN_MOST + 2] = "";
    FILE *file = fopen(path, "re");
    if (!file) {
        cli_warn("%s: cannot open: %s", path, strerror(errno));
        return NULL;
    }
    private_file_check(path);
    bool is_read = fgets(line, sizeof line, file);
    fclose(file);
    size_t size = strcspn(line, "\r\n");
    line[size] = 0;
    if (!is_read || size < TOKEN_LEAST || size > TOKEN_MOST || strpbrk(line, " \t")) {
        cli_warn("%s: the first line should be a token of %d to %d characters, without spaces",
                 path, TOKEN_LEAST, TOKEN_MOST);
        return NULL;
    }
    return strdup(line);
}
