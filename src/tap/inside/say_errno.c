#include <errno.h>

#include "tap/inside/say.h"

const char *say_errno(int code)
{
    switch (code) {
    case EBADF:
        return "closed by the program, and not to be opened again";
    case EPIPE:
        return "Broken pipe";
    case EACCES:
        return "Permission denied";
    case EDQUOT:
        return "Disk quota exceeded";
    case EEXIST:
        return "File exists";
    case EFBIG:
        return "File too large";
    case EIO:
        return "Input/output error";
    case EISDIR:
        return "Is a directory";
    case EMFILE:
    case ENFILE:
        return "Too many open files";
    case ENAMETOOLONG:
        return "File name too long";
    case ENODATA: /* GROWING_FILE_CUT */
        return "cut short by another program";
    case ENOENT:
        return "No such file or directory";
    case ENOMEM:
        return "Out of memory";
    case ENOSPC:
        return "No space left on device";
    case ENOSYS:
        return "Function not implemented";
    case ENOTDIR:
        return "Not a directory";
    case EPERM:
        return "Operation not permitted";
    case EROFS:
        return "Read-only file system";
    default:
        return "error";
    }
}
