#include <caml/mlvalues.h>
