/* What the command's answer lacks, or has only in part, and what else is to be known of it, as sentences: warnings, and members of JSON's
 * answers. */
#ifndef CLI_LACK_H
#define CLI_LACK_H

/* Warns, once for each sentence; `subject` is the file. */
void lack_say(const char *subject, const char *sentence);

/* The same of a whole sentence, of which nothing is trusted: it is warned of each time. */
void lack_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same of what has been told in other words: without a warning. */
void lack_add(const char *sentence);

/* What was said so far; NULL for nothing. */
const char *lack_said(void);

/* As lack_say, of remarks: what may not be meant as it was asked. */
void lack_remark(const char *subject, const char *sentence);

/* Those that no answer has yet, which this one gets: NULL for none.  Borrowed until the next remark. */
const char *lack_take_remarks(void);

#endif
