/* `heaptap info` for people. */
#ifndef CLI_INFO_TEXT_H
#define CLI_INFO_TEXT_H

#include "export/summary_report.h"

/* Prints on standard output; false when there is no memory. */
bool info_text_print(const struct summary_report *report);

#endif
