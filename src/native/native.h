/* What the parts of heaptap/native.h share. */
#ifndef NATIVE_NATIVE_H
#define NATIVE_NATIVE_H

/* Sets the clock, and notes what is loaded as there to stay; the first time.  The caller holds no lock. */
void native_begin(void);

#endif
