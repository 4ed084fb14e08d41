#include "cli/cli.h"
int cmd_convert(int argc, char **argv)
{
    return CLI_USAGE;
}
