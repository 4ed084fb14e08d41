/* As much of OCaml 5's headers as session.c needs, for test_ocaml_session.c, which plays the
 * runtime. */
#ifndef CAML5_H
#define CAML5_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define OCAML_VERSION 50300

typedef intptr_t value, intnat;
typedef uintptr_t uintnat, mlsize_t;

#define Val_long(x) ((value)(((uintnat)(x) << 1) + 1))
#define Long_val(x) ((intnat)(x) >> 1)
#define Val_int Val_long
#define Val_bool(x) Val_int((x) != 0)
#define Val_false Val_int(0)
#define Val_true Val_int(1)
#define Val_unit Val_int(0)
#define Op_val(x) ((value *)(x))
#define Field(x, i) (Op_val(x)[i])
#define Wosize_val(x) ((mlsize_t)((uintnat)Op_val(x)[-1] >> 10))
#define Caml_out_of_heap_header(wosize, tag) (((uintnat)(wosize) << 10) + 0x300 + (tag))
#define Double_val(x) (*(double *)(x))

typedef struct {
    int id;
    intnat unique_id;
} caml_domain_state;

extern _Thread_local caml_domain_state *Caml_state;
extern _Atomic uintnat caml_minor_collections_count;

int caml_domain_alone(void);
value caml_copy_int64(int64_t);
_Noreturn void caml_raise_out_of_memory(void);

#endif
