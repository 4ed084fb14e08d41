#include "cli/cli.h"
int cmd_info(int argc, char **argv)
{
    return CLI_USAGE;
}
