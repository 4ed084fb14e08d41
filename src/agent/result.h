/* What a call of a report comes to. */
#ifndef AGENT_RESULT_H
#define AGENT_RESULT_H

#include "agent/call.h"

/* Takes the answer of the step's command: first as text, quoted, with what could be asked then; where JSON is asked for, that in the
 * step after, cut to half as much again as the text takes, or to 450 bytes where that is less. */
void result_take(struct call *call, int status);

#endif
