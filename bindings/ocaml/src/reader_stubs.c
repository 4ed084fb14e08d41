/* Trace.Reader: heaptap's reader, an event at a time. */
#define CAML_INTERNALS
#include <caml/alloc.h>
#include <caml/fail.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>
#include <string.h>
#include <unistd.h>

#include "custom.h"
#include "heaptap/trace.h"

/* A pass over a trace. */
struct pass {
    struct heaptap_reader *reader;
    struct heaptap_event event; /* the last one */
    struct heaptap_error error; /* why there is none */
};

static struct pass **pass_place(value pass)
{
    return Data_custom_val(pass);
}

static void finalize(value pass)
{
    if (!*pass_place(pass))
        return;
    heaptap_reader_close((*pass_place(pass))->reader);
    caml_stat_free(*pass_place(pass));
}

static struct custom_operations operations = CUSTOM_OPERATIONS("heaptap.trace.reader", finalize);

/* open fd skip_stacks: reads on from where `fd` stands, and leaves it open. */
value heaptap_ocaml_reader_open(value fd, value skip_stacks)
{
    CAMLparam0();
    CAMLlocal1(result);
    const struct heaptap_reader_options options = {.skip_stacks = Bool_val(skip_stacks)};
    int copy = dup(Int_val(fd));
    if (copy < 0)
        caml_failwith("Trace.Reader: the file is closed");
    result = caml_alloc_custom(&operations, sizeof(struct pass *), 0, 1);
    *pass_place(result) = NULL;
    struct pass *pass = caml_stat_alloc(sizeof *pass);
    memset(pass, 0, sizeof *pass);
    if (heaptap_reader_open_fd(&pass->reader, copy, &options, &pass->error) != HEAPTAP_OK) {
        struct heaptap_error error = pass->error;
        caml_stat_free(pass);
        caml_failwith(error.message);
    }
    *pass_place(result) = pass;
    CAMLreturn(result);
}

value heaptap_ocaml_reader_close(value pass)
{
    finalize(pass);
    *pass_place(pass) = NULL;
    return Val_unit;
}

static value copy_context(const char *context)
{
    CAMLparam0();
    CAMLlocal2(text, some);
    if (!*context)
        CAMLreturn(Val_int(0));
    text = caml_copy_string(context);
    some = caml_alloc_small(1, 0);
    Field(some, 0) = text;
    CAMLreturn(some);
}

/* A Trace.Info.t. */
value heaptap_ocaml_reader_info(value pass)
{
    CAMLparam1(pass);
    CAMLlocal1(result);
    const struct heaptap_trace_info *info = heaptap_reader_info((*pass_place(pass))->reader);
    result = caml_alloc(9, 0);
    Store_field(result, 0, caml_copy_double(info->sample_rate));
    Store_field(result, 1, Val_long(info->word_bits));
    Store_field(result, 2, caml_copy_string(info->executable));
    Store_field(result, 3, caml_copy_string(info->host));
    Store_field(result, 4, caml_copy_string(info->runtime_params));
    Store_field(result, 5, caml_copy_int64((int64_t)info->pid));
    Store_field(result, 6, Val_long(info->initial_domain));
    Store_field(result, 7, caml_copy_int64(info->start_us));
    Store_field(result, 8, copy_context(info->context));
    CAMLreturn(result);
}

enum { EVENT, END, CUT, DAMAGED };

/* Damage is told by what the reader says of it: that the trace is cut is no damage here, as the
 * program may have been killed. */
static int what_ended(const struct heaptap_error *error)
{
    static const char cut[] = "the trace ends here";
    return strncmp(error->message, cut, sizeof cut - 1) == 0 ? CUT : DAMAGED;
}

/* next pass fields: the next event, in the order of trace.ml's fields.  [@@noalloc] */
value heaptap_ocaml_reader_next(value value_of_pass, value fields)
{
    struct pass *pass = *pass_place(value_of_pass);
    struct heaptap_event *event = &pass->event;
    enum heaptap_status status = heaptap_reader_next(pass->reader, event, &pass->error);
    if (status != HEAPTAP_OK)
        return Val_int(status == HEAPTAP_END ? END : what_ended(&pass->error));
    Field(fields, 0) = Val_long(event->kind);
    Field(fields, 1) = Val_long(event->time_us);
    Field(fields, 2) = Val_long(event->id);
    Field(fields, 3) = Val_long(event->domain);
    if (event->kind != HEAPTAP_ALLOC)
        return Val_int(EVENT);
    Field(fields, 4) = Val_long(event->source);
    Field(fields, 5) = Val_long(event->length);
    Field(fields, 6) = Val_long(event->samples);
    Field(fields, 7) = Val_long(event->common_prefix);
    Field(fields, 8) = Val_long(event->stack_length);
    Field(fields, 9) = Val_long(event->stack_shared);
    return Val_int(EVENT);
}

/* stack pass buffer from: the event's codes from that depth on.  [@@noalloc] */
value heaptap_ocaml_reader_stack(value value_of_pass, value buffer, value from)
{
    const struct pass *pass = *pass_place(value_of_pass);
    for (uint32_t i = (uint32_t)Long_val(from); i < pass->event.stack_length; i++)
        Field(buffer, i) = Val_long(heaptap_reader_frame_code(pass->reader, pass->event.stack[i]));
    return Val_unit;
}

value heaptap_ocaml_reader_message(value pass)
{
    return caml_copy_string((*pass_place(pass))->error.message);
}

static value location_of(const struct heaptap_location *location)
{
    CAMLparam0();
    CAMLlocal1(result);
    result = caml_alloc(5, 0);
    Store_field(result, 0, caml_copy_string(location->file));
    Store_field(result, 1, Val_long(location->line));
    Store_field(result, 2, Val_long(location->start_char));
    Store_field(result, 3, Val_long(location->end_char));
    Store_field(result, 4, caml_copy_string(location->function));
    CAMLreturn(result);
}

/* An int of OCaml has lost its code's highest bit. */
static bool find_frame(const struct heaptap_reader *reader, intnat code, uint32_t *frame)
{
    return heaptap_reader_find_frame(reader, (uint64_t)code, frame) ||
           heaptap_reader_find_frame(reader, (uint64_t)code ^ (UINT64_C(1) << 63), frame);
}

/* locations pass code: Some list, or None for a code that the pass has not met. */
value heaptap_ocaml_reader_locations(value pass, value code)
{
    CAMLparam1(pass);
    CAMLlocal4(list, cell, location, some);
    uint32_t frame;
    size_t count;
    const struct heaptap_reader *reader = *pass_place(pass) ? (*pass_place(pass))->reader : NULL;
    if (!reader || !find_frame(reader, Long_val(code), &frame))
        CAMLreturn(Val_int(0));
    const struct heaptap_location *locations =
        heaptap_reader_frame_locations(reader, frame, &count);
    list = Val_int(0);
    while (count-- > 0) {
        location = location_of(&locations[count]);
        cell = caml_alloc_small(2, 0);
        Field(cell, 0) = location;
        Field(cell, 1) = list;
        list = cell;
    }
    some = caml_alloc_small(1, 0);
    Field(some, 0) = list;
    CAMLreturn(some);
}
