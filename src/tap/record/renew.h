/* A profile whose rate was halved: the engine keeps blocks in use that the present rate leaves nothing of, and every end of a block
 * looks among them. */
#ifndef TAP_RECORD_RENEW_H
#define TAP_RECORD_RENEW_H

/* They go over to the present rate, or are forgotten (tap/gather/halve.h).  Where that is not possible now, they stay.
 * Not in the middle of the engine. */
void renew_blocks(void);

#endif
