/* What the parts of heaptap/native.h share. */
#ifndef TAP_NATIVE_NATIVE_H
#define TAP_NATIVE_NATIVE_H

/* Sets the clock, and notes what is loaded as there to stay; the first time.  The caller holds no lock. */
void native_begin(void);

#endif
