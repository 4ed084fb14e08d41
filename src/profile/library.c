/* Places that are a library's: by the function's name, by the file's folder, by the package that begins a name. */
#include "profile/library.h"

#include <ctype.h>
#include <string.h>

#include "base/affix.h"

/* ---- Names -------------------------------------------------------------------------- */

/* Rust's: alloc::vec::Vec::push, <&dyn core::ops::Fn as ...>::call; whole names tell the crate's version, too: alloc[fdfd2bd8]::. */
static bool is_of_rust(const char *function)
{
    static const char *const crates[] = {"std", "core", "alloc"};
    function += strspn(function, "<&");
    function += begins_with(function, "mut ") || begins_with(function, "dyn ") ? strlen("dyn ") : 0;
    for (size_t i = 0; i < sizeof crates / sizeof *crates; i++) {
        const char *end = function + strlen(crates[i]);
        if (!begins_with(function, crates[i]))
            continue;
        const char *version_end = *end == '[' ? strchr(end, ']') : NULL;
        if (begins_with(version_end ? version_end + 1 : end, "::"))
            return true;
    }
    return false;
}

/* The standard libraries of C++, Rust and OCaml, and the inner parts of allocators and of other libraries' containers. */
static bool is_standard(const char *function)
{
    static const char *const starts[] = {
        "std::",
        "__gnu_cxx::",
        "_ZNSt",
        "_ZNKSt",
        "_ZSt",
        "_ZN9__gnu_cxx",
        "tcmalloc::",
        "snmalloc::",
        "QArrayData::",
        "QListData::",
        "QTypedArrayData",
        "Stdlib.",
        "Stdlib__",
        "Camlinternal",
        "Str.",
        "camlStdlib",
        "camlCamlinternal",
        "llvm::allocate_buffer",
        "llvm::BumpPtrAllocatorImpl",
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (begins_with(function, starts[i]))
            return true;
    return is_of_rust(function);
}

/* What the allocators of widely used programs and libraries are called, where their names don't end as those of libc do;
 * without underscores in front.  A star is the rest of a name. */
static const char *const known[] = {
    "aligned_alloc",
    "l_alloc",
    "luaM_growaux_",
    "mallocgc",
    "palloc",
    "palloc0",
    "palloc_extended",
    "palloc_aligned",
    "repalloc",
    "repalloc0",
    "repalloc_*",
    "MemoryContextAlloc*",
    "AllocSetAlloc*",
    "GenerationAlloc*",
    "SlabAlloc*",
    "BumpAlloc*",
    "g_slice_alloc",
    "g_slice_alloc0",
    "g_memdup",
    "g_memdup2",
    "xpalloc",
    "xzalloc",
    "kzalloc",
    "vzalloc",
    "CRYPTO_zalloc",
    "OPENSSL_zalloc",
    "xcharalloc",
    "xmemdup*",
    "xasprintf",
    "xvasprintf",
    "lalloc",
    "talloc",
    "talloc_*",
    "obstack_newchunk",
    "obstack_begin*",
    "ximemdup",
    "apr_palloc",
    "ngx_alloc",
    "ngx_palloc",
    "ngx_pnalloc",
    "ngx_palloc_small",
    "ngx_palloc_large",
    "ggc_alloc*",
    "ggc_internal_alloc*",
    "ggc_internal_cleared_alloc*",
    "zend_mm_alloc*",
    "caml_alloc*",
    "caml_stat_alloc*",
    "rust_alloc*",
    "rdl_alloc*",
    "rg_alloc*",
    "PyType_GenericAlloc",
    "PyObject_GC_Alloc",
    "PyObject_GC_New*",
    "PyMem_New",
    "gc_alloc",
    "mi_new*",
    "mi_heap_new*",
    "tc_new*",
};

static bool is_known(const char *function, size_t size)
{
    for (; size > 0 && *function == '_'; size--)
        function++;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strcspn(known[i], "*");
        if ((known[i][length] ? size >= length : size == length) &&
            memcmp(function, known[i], length) == 0)
            return true;
    }
    return false;
}

/* The part of a readable name after its last `::`, template and other arguments left out. */
static const char *last_part(const char *function, size_t *size)
{
    const char *part = function, *at = function;
    for (int depth = 0; *at && (depth > 0 || *at != '(' || at == part); at++) {
        depth += *at == '<' || *at == '(';
        depth -= (*at == '>' || *at == ')') && depth > 0;
        if (depth == 0 && at[0] == ':' && at[1] == ':' && at[2] != '<')
            part = at + 2;
    }
    *size = strcspn(part, "<(");
    return part;
}

/* Does a word end there?  xmalloc, g_malloc0, malloc_usable, DbMallocRaw; mallocz and mallocx; not reallocate. */
static bool is_word_end(const char *at, const char *end)
{
    if (at < end && strchr("zxn", *at))
        at++;
    return at == end || !islower((unsigned char)*at);
}

/* Wrappers are called after what they wrap. */
static bool is_wrapper(const char *text, size_t size)
{
    static const char *const wrapped[] = {"malloc",   "calloc", "realloc", "reallocarray",
                                          "memalign", "strdup", "strndup"};
    for (size_t i = 0; i < sizeof wrapped / sizeof *wrapped; i++) {
        size_t length = strlen(wrapped[i]);
        for (size_t at = 0; at + length <= size; at++)
            if (strncasecmp(text + at, wrapped[i], length) == 0 &&
                is_word_end(text + at + length, text + size) &&
                !(at > 0 && strncasecmp(text + at - 1, "prealloc", 8) == 0))
                return true;
    }
    return false;
}

/* A readable name without the type that it returns, which instances of templates have: behind the
 * last space outside all brackets. */
static const char *without_type(const char *function)
{
    const char *name = function;
    int depth = 0;
    for (const char *at = function; *at && (*at != '(' || depth > 0); at++) {
        depth += *at == '<';
        depth -= *at == '>' && depth > 0;
        if (*at == ' ' && depth == 0 && !begins_with(name, "operator"))
            name = at + 1;
    }
    return name;
}

static bool is_allocator(const char *function)
{
    size_t size;
    const char *part = last_part(function, &size);
    return begins_with(function, "operator new") || begins_with(function, "_Znwm") ||
           begins_with(function, "_Znam") || is_wrapper(part, size) ||
           (part == function && is_known(part, size));
}

bool allocator_is_name(const char *function)
{
    function = without_type(function);
    return is_standard(function) || is_allocator(function);
}

/* What OCaml's native code puts between a call and the function: they have names where the program has symbols. */
static bool is_stub(const char *function)
{
    static const char *const starts[] = {"caml_curry", "caml_apply",   "caml_tuplify",
                                         "caml_send",  "caml_call_gc", "caml_c_call",
                                         "ffi_call",   "ffi_closure_"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (begins_with(function, starts[i]))
            return true;
    return false;
}

bool library_is_allocator(const struct heaptap_location *location)
{
    const char *function = without_type(location->function);
    return is_allocator(function) && !is_standard(function);
}

/* ---- Files and packages -------------------------------------------------------------- */

/* Is what follows the first `length` bytes of the file the package of a path that is the program's own?  A package is a folder;
 * below Go's pkg/mod it goes as far as its version. */
static bool is_at_home(const char *file, size_t length, const char *const *homes)
{
    for (; *homes; homes++) {
        const char *home = *homes, *package = home + length;
        if (strncmp(home, file, length) != 0)
            continue;
        const char *version = strchr(package, '@');
        const char *end = strchr(version ? version : package, '/');
        if (!end || strncmp(package, file + length, (size_t)(end + 1 - package)) == 0)
            return true;
    }
    return false;
}

/* Is the folder in the file's path, outside of the program's own? */
static bool is_below(const char *file, const char *folder, const char *const *homes)
{
    size_t length = strlen(folder);
    for (const char *at = strstr(file, folder); at; at = strstr(at + 1, folder))
        if (!is_at_home(file, (size_t)(at - file) + length, homes))
            return true;
    return false;
}

/* Folders of what is installed with a language or by its package manager: Rust's sources and crates, Python's library and
 * packages, those of node, Go's modules, headers of C and C++ libraries, Ruby's and PHP's packages. */
static bool is_installed(const char *file, const char *const *homes)
{
    static const char *const starts[] = {"/rustc/", "/rust/deps/", "<frozen ",
                                         "node:", "/usr/include/"};
    static const char *const folders[] = {
        "/.cargo/registry/",  "/.cargo/git/", "/site-packages/", "/dist-packages/",
        "/lib/python2.",      "/lib/python3", "/pypy3",          "/node_modules/",
        "/pkg/mod/",          "/vendor/",     "/lib/ruby/",      "/lib/gcc/",
        "/usr/local/include/"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (begins_with(file, starts[i]))
            return true;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (is_below(file, folders[i], homes))
            return true;
    return false;
}

/* Go's standard library: the first element of the package's path is one of these; a module's has a dot, or is its own.  Below
 * vendor/, and with a version behind an @, are modules of others. */
static bool is_of_go(const char *function, const char *file, const char *const *homes)
{
    static const char *const packages[] = {
        "archive",  "bufio",   "bytes",   "cmp",      "compress", "container", "context", "crypto",
        "database", "debug",   "embed",   "encoding", "errors",   "expvar",    "flag",    "fmt",
        "go",       "hash",    "html",    "image",    "index",    "internal",  "io",      "iter",
        "log",      "maps",    "math",    "mime",     "net",      "os",        "path",    "plugin",
        "reflect",  "regexp",  "runtime", "slices",   "sort",     "strconv",   "strings", "structs",
        "sync",     "syscall", "testing", "text",     "time",     "unicode",   "unique",  "unsafe",
        "vendor",   "weak"};
    if (!ends_with(file, ".go") && !ends_with(file, ".s"))
        return false;
    size_t length = strcspn(function, "/.");
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (strlen(packages[i]) == length && memcmp(function, packages[i], length) == 0)
            return true;
    const char *version = strchr(file, '@');
    return version && version[1] == 'v' && isdigit((unsigned char)version[2]) &&
           !is_at_home(file, (size_t)(version - file), homes);
}

/* Java's, and of the languages beside it, with dots or slashes between the parts. */
static bool is_of_java(const char *function)
{
    static const char *const packages[] = {"java",   "javax", "jdk",     "sun",         "com.sun",
                                           "kotlin", "scala", "kotlinx", "clojure.lang"};
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
        size_t at = 0;
        while (packages[i][at] &&
               (packages[i][at] == function[at] || (packages[i][at] == '.' && function[at] == '/')))
            at++;
        if (!packages[i][at] && (function[at] == '.' || function[at] == '/') &&
            strpbrk(function + at + 1, "./"))
            return true;
    }
    return false;
}

/* V8's own functions, as agents of Pyroscope and Datadog name what has no file and no line: ":split:0". */
static bool is_of_v8(const char *function, const char *file)
{
    return !*file && function[0] == ':' && ends_with(function, ":0");
}

/* The mark of a stack whose outer callers are missing (trace-format.md): no frame's code. */
static bool is_gap(const char *function, const char *file)
{
    return strcmp(function, "<truncated>") == 0 && strcmp(file, "<unknown>") == 0;
}

bool library_is_type(const struct heaptap_location *location)
{
    return location->file && strcmp(location->file, GUEST_TYPE_FILE) == 0;
}

bool library_is_place(const struct heaptap_location *location, const char *const *homes)
{
    const char *file = location->file ? location->file : "";
    return allocator_is_name(location->function) || is_stub(location->function) ||
           is_gap(location->function, file) || library_is_type(location) ||
           is_installed(file, homes) || is_of_go(location->function, file, homes) ||
           is_of_java(location->function) || is_of_v8(location->function, file);
}
