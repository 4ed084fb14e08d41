#include "cli/cli.h"
int cmd_strip(int argc, char **argv)
{
    return CLI_USAGE;
}
