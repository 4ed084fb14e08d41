#include "cli/cli.h"
int cmd_subsample(int argc, char **argv)
{
    return CLI_USAGE;
}
