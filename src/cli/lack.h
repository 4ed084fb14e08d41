/* What the command's answer lacks, or has only in part, as a sentence: a warning, and a member of JSON's answers. */
#ifndef CLI_LACK_H
#define CLI_LACK_H

/* Warns, once for each sentence; `subject` is the file. */
void lack_say(const char *subject, const char *sentence);

/* What was said so far; NULL for nothing. */
const char *lack_said(void);

#endif
