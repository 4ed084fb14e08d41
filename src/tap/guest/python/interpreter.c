#include "tap/guest/python/interpreter.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap/guest/find.h"

struct python python;

static const struct python_layout layouts[] = {
    [11] = {.thread_frame = 56,
            .c_frame_frame = 8,
            .frame_code = 32,
            .frame_previous = 48,
            .frame_instruction = 56,
            .frame_owner = 69,
            .frame_by_c = (uint64_t)0xFFFF << 32,
            .code_first_traceable = 168,
            .code_instructions = 184,
            .code_stack_size = 68,
            .code_locals = 76,
            .preheader = 1 << 4},
    [12] = {.thread_frame = 56,
            .c_frame_frame = 0,
            .frame_code = 0,
            .frame_previous = 8,
            .frame_instruction = 56,
            .frame_owner = 70,
            .frame_by_c = (uint64_t)0xFF << 48,
            .code_first_traceable = 176,
            .code_instructions = 192,
            .code_stack_size = 64,
            .code_locals = 72,
            .preheader = 1 << 3 | 1 << 4},
    [13] = {.thread_frame = 72,
            .c_frame_frame = -1,
            .frame_code = 0,
            .frame_previous = 8,
            .frame_instruction = 56,
            .frame_owner = 70,
            .frame_by_c = (uint64_t)0xFF << 48,
            .code_first_traceable = 184,
            .code_instructions = 200,
            .code_stack_size = 64,
            .code_locals = 72,
            .preheader = 1 << 3 | 1 << 4},
};

/* Finds a function or an object of the interpreter: which is the program itself or a library that
 * it is linked to. */
bool python_find_symbol(void *pointer, const char *name)
{
    return guest_find(pointer, RTLD_DEFAULT, name);
}

static bool find_functions(void)
{
    bool has_thread_state =
        python_find_symbol(&python.thread_state, "PyThreadState_GetUnchecked") ||
        python_find_symbol(&python.thread_state, "_PyThreadState_UncheckedGet");
    bool has_finalizing = python_find_symbol(&python.is_finalizing, "Py_IsFinalizing") ||
                          python_find_symbol(&python.is_finalizing, "_Py_IsFinalizing");
    return python_find_symbol(&python.get_allocator, "PyMem_GetAllocator") && has_thread_state &&
           has_finalizing && python_find_symbol(&python.line, "PyCode_Addr2Line") &&
           python_find_symbol(&python.type_type, "PyType_Type") &&
           python_find_symbol(&python.code_type, "PyCode_Type") &&
           python_find_symbol(&python.string_type, "PyUnicode_Type") &&
           python_find_symbol(&python.bytes_type, "PyBytes_Type") &&
           python_find_symbol(&python.string_length, "PyUnicode_GetLength") &&
           python_find_symbol(&python.string_char, "PyUnicode_ReadChar");
}

static const char not_known[] =
    "this Python is none that heaptap knows: CPython 3.11, 3.12 and 3.13 are";

bool python_find(const char **why)
{
    const unsigned long *version;
    const char *(*version_text)(void);
    *why = NULL;
    if (!python_find_symbol(&python.set_allocator, "PyMem_SetAllocator"))
        return false;
    *why = not_known;
    if (!python_find_symbol(&version, "Py_Version") ||
        !python_find_symbol(&version_text, "Py_GetVersion"))
        return false;
    python.minor = (int)(*version >> 16 & 0xFF);
    if (*version >> 24 != 3 || python.minor < 11 || python.minor > 13 || !find_functions())
        return false;
    python.layout = layouts[python.minor];
    *why = "this Python has no global lock (it is a free-threading build), and only one with it "
           "can be "
           "traced";
    return !strstr(version_text(), "free-threading");
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* Appends a character; returns how many bytes it took, 0 if there is no room. */
static size_t put_utf8(uint32_t c, char *text, size_t room)
{
    if (c < 0x80 && room >= 1) {
        text[0] = (char)c;
        return 1;
    }
    if (c < 0x800 && room >= 2) {
        text[0] = (char)(0xC0 | c >> 6);
        text[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000 && room >= 3) {
        text[0] = (char)(0xE0 | c >> 12);
        text[1] = (char)(0x80 | (c >> 6 & 0x3F));
        text[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    if (c >= 0x10000 && room >= 4) {
        text[0] = (char)(0xF0 | c >> 18);
        text[1] = (char)(0x80 | (c >> 12 & 0x3F));
        text[2] = (char)(0x80 | (c >> 6 & 0x3F));
        text[3] = (char)(0x80 | (c & 0x3F));
        return 4;
    }
    return 0;
}

/* File names that are no UTF-8 stand in strings as lone surrogates, U+DC80 for the byte 0x80. */
static size_t put_char(uint32_t c, char *text, size_t room)
{
    if (c < 0xDC80 || c > 0xDCFF)
        return put_utf8(c >= 0xD800 && c <= 0xDFFF ? 0xFFFD : c, text, room);
    if (room < 1)
        return 0;
    *text = (char)(c - 0xDC00);
    return 1;
}

bool python_copy_string(const char *string, char *text, size_t size)
{
    size_t used = 0;
    if (!string || python_pointer(string, OBJECT_TYPE) != python.string_type)
        return false;
    ptrdiff_t length = python.string_length(string);
    for (ptrdiff_t i = 0; i < length; i++) {
        size_t put = put_char(python.string_char(string, i), text + used, size - 1 - used);
        if (!put)
            break;
        used += put;
    }
    text[used] = '\0';
    return true;
}

/* The kernel looks at the set before it finds that it doesn't know what to do with it. */
static bool is_mapped(uintptr_t address)
{
    int saved_errno = errno;
    bool mapped = syscall(SYS_rt_sigprocmask, ~0, address, NULL, 8) == 0 || errno != EFAULT;
    errno = saved_errno;
    return mapped;
}

bool python_readable(const void *address, size_t size)
{
    enum { PAGE = 4096 };
    uintptr_t first = (uintptr_t)address & ~(uintptr_t)7, end = (uintptr_t)address + size;
    if (first < PAGE || !is_mapped(first)) /* of no set at all it has nothing to say */
        return false;
    for (uintptr_t page = (first | (PAGE - 1)) + 1; page < end; page += PAGE)
        if (!is_mapped(page))
            return false;
    return true;
}
