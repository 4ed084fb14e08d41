#include <caml/mlvalues.h>

extern void (*caml_domain_stop_hook)(void);
