#include "cli/cli.h"
int cmd_flamegraph(int argc, char **argv)
{
    return CLI_USAGE;
}
