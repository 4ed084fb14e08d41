/* Types from the debug information of programs on this machine. */
#ifndef CLI_TYPE_FILE_H
#define CLI_TYPE_FILE_H

#include "report/sources.h"

/* As report_sources has it. */
bool type_file_find(const struct report_type_question *question, struct report_type *type);

#endif
