/* C++, Rust, D and Ada function names as people write them. */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* How much of a name is kept.  For `std::vector<int>::push_back(int const&)`: */
enum symbol_names {
    SYMBOL_NAMES_OWN, /* std::vector::push_back, but app::Pool<int>::grow: what a profile shows and adds up.  A program's own
                               instances of a template may allocate differently; those of the standard libraries allocate for
                               their callers, who are told apart */
    SYMBOL_NAMES_SHORT,     /* std::vector::push_back and app::Pool::grow */
    SYMBOL_NAMES_TEMPLATES, /* std::vector<int>::push_back */
    SYMBOL_NAMES_FULL,      /* the whole, with return types and `[clone ...]` */
    SYMBOL_NAMES_RAW,       /* as the linker knows it: _ZN... */
    SYMBOL_NAMES_NARROW, /* as SYMBOL_NAMES_OWN, and app::Pool<std::map>::grow for app::Pool<std::map<int, long>>::grow:
                               where there is little room */
};

/* The name that `mangled` stands for, in the C++ (Itanium), Rust legacy, Rust v0 or D scheme; a name
 * in none of them is answered as it is.  The caller frees it with free().  NULL when memory is
 * short. */
char *demangle_name(const char *mangled, enum symbol_names names);

/* Is it in Rust's legacy scheme?  That has no generic arguments, and no numbers of closures. */
bool demangle_is_rust_legacy(const char *mangled);

/* The same of a name in that scheme where DWARF calls the function `name`, "grow<u32>" or "{closure#0}": with what the
 * scheme leaves out. */
char *demangle_rust_instance(const char *mangled, const char *name, enum symbol_names names);

/* The name that GNAT's `mangled` stands for: shapes."+" for shapes__Oadd.  Its scheme can't be told from names of C, so
 * the caller must know that the language is Ada; a name that isn't in it is answered as it is.  The caller frees it with
 * free().  NULL when memory is short. */
char *demangle_ada(const char *mangled);

/* Whether a linker's name is one of D's. */
bool demangle_is_d(const char *name);

/* Takes template and generic arguments, parameter lists and clone suffixes out of a readable name,
 * in place: what SYMBOL_NAMES_SHORT, SYMBOL_NAMES_OWN and SYMBOL_NAMES_NARROW do after demangling; other ways leave it as it is. */
void demangle_shorten(char *name, enum symbol_names names);

#endif
