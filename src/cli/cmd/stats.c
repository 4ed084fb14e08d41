#include "cli/cli.h"
int cmd_stats(int argc, char **argv)
{
    return CLI_USAGE;
}
