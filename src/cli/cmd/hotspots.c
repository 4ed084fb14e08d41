#include "cli/cli.h"
int cmd_hotspots(int argc, char **argv)
{
    return CLI_USAGE;
}
