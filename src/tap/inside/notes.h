/* Sentences for the heaptap that started the recording, which prints them when the command has ended:
 * a recorded program prints no message of the recorder by itself.
 *
 * They go into a nameless file of heaptap's, which is opened for each by way of /proc, so that
 * no descriptor has to be kept in processes that are not ours; where that can't be, through a socket (notes_socket.h). */
#ifndef TAP_INSIDE_NOTES_H
#define TAP_INSIDE_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first character, before what is said; a zero byte ends it, since names of files have any other.  NOTE_LOSS: a fault that costs
 * a part of what the program did, or all of it.  NOTE_BEGUN: the rest is the name of a trace that was begun.
 * NOTE_RECORDING: there is a recording, whose files come and go. */
enum note_kind {
    NOTE_REMARK = '-',
    NOTE_FAULT = '!',
    NOTE_LOSS = '?',
    NOTE_BEGUN = '+',
    NOTE_RECORDING = '='
};

/* The value of SETTING_NOTES for an open file of this process; a struct notes_socket may follow as a text. */
bool notes_place(char *place, size_t size, int fd);

/* The process number of the heaptap that listens; 0 where none does. */
uint64_t notes_listener(void);

/* Takes such a value; NULL: there is nowhere to write to. */
void notes_init(const char *place);

/* Whether heaptap listens. */
bool notes_wanted(void);

/* Writes a text if heaptap listens and can be reached.  False where it has not been written. */
bool notes_write(enum note_kind kind, const char *text, size_t size);

#endif
