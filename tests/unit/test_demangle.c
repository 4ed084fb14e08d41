#include <stdlib.h>
#include <string.h>

#include "run_tests.h"
#include "symbol/demangle.h"

static void expect(const char *mangled, const char *short_name, const char *templates,
                   const char *full)
{
    const char *const names[] = {short_name, templates, full, mangled};
    for (int i = 0; i < 4; i++) {
        char *name = demangle_name(mangled, (enum symbol_names)(SYMBOL_NAMES_SHORT + i));
        assert_non_null(name);
        assert_string_equal(name, names[i]);
        free(name);
    }
}

static void same(const char *name)
{
    expect(name, name, name, name);
}

static void cplusplus(void **state)
{
    expect("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back",
           "std::vector<int, std::allocator<int> >::push_back",
           "std::vector<int, std::allocator<int> >::push_back(int const&)");
    expect("_ZN12_GLOBAL__N_13fooEi", "(anonymous namespace)::foo", "(anonymous namespace)::foo",
           "(anonymous namespace)::foo(int)");
    expect("_ZZ4mainENKUliE_clEi", "main::{lambda#1}::operator()",
           "main::{lambda(int)#1}::operator()", "main::{lambda(int)#1}::operator()(int) const");
    expect("_ZN3foo3barEv.isra.0", "foo::bar", "foo::bar", "foo::bar() [clone .isra.0]");
    expect("_ZN1AC4Ev", "A::A", "A::A", "A::A()");
}

static void operators(void **state)
{
    expect("_ZlsRSoi", "operator<<", "operator<<", "operator<<(std::ostream&, int)");
    expect("_ZN1AltIiEEvT_", "A::operator<", "A::operator< <int>", "void A::operator< <int>(int)");
    expect("_ZNK1AssERKS_", "A::operator<=>", "A::operator<=>", "A::operator<=>(A const&) const");
    expect("_ZNK1AptEv", "A::operator->", "A::operator->", "A::operator->() const");
    expect("_ZN1AcvSt6vectorIiSaIiEEEv", "A::operator std::vector",
           "A::operator std::vector<int, std::allocator<int> >",
           "A::operator std::vector<int, std::allocator<int> >()");
    expect("_ZNKSt8functionIFvvEEclEv", "std::function::operator()",
           "std::function<void ()>::operator()", "std::function<void ()>::operator()() const");
}

static void rust_legacy(void **state)
{
    expect("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad",
           "core::fmt::Formatter::pad", "core::fmt::Formatter::pad::h0123456789abcdef");
    expect("_ZN47_$LT$vec..Vec$LT$T$GT$$u20$as$u20$Ops..Drop$GT$4drop17h0123456789abcdefE",
           "<vec::Vec as Ops::Drop>::drop", "<vec::Vec<T> as Ops::Drop>::drop",
           "<vec::Vec<T> as Ops::Drop>::drop::h0123456789abcdef");
}

/* With what DWARF calls the function: instances and closures are told apart. */
static void rust_instances(void **state)
{
    static const struct {
        const char *mangled, *name, *own, *shorter;
    } cases[] = {
        {"_ZN1r10P$LT$T$GT$4grow17h2c4e7e6185d87c3aE", "grow<[u64; 4]>", "r::P<T>::grow<[u64; 4]>",
         "r::P::grow"},
        {"_ZN1r10P$LT$T$GT$4grow17hb59685aeb12c3752E", "grow<u32>", "r::P<T>::grow<u32>",
         "r::P::grow"},
        {"_ZN1r2mk17h491cbc62a8cea0c9E.llvm.123", "mk<alloc::string::String>",
         "r::mk<alloc::string::String>", "r::mk"},
        {"_ZN1r4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "{closure#1}<u8>",
         "r::main::{closure#1}<u8>", "r::main::{closure#1}"},
        {"_ZN47_$LT$vec..Vec$LT$T$GT$$u20$as$u20$Ops..Drop$GT$4drop17h0123456789abcdefE",
         "drop<u8>", "<vec::Vec<T> as Ops::Drop>::drop<u8>", "<vec::Vec as Ops::Drop>::drop"},
        {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "pad<u8>", "core::fmt::Formatter::pad",
         "core::fmt::Formatter::pad"},
        {"_ZN1r4main17h0123456789abcdefE", "other<u8>", "r::main", "r::main"},
        {"_ZN1r4main17h0123456789abcdefE", "main", "r::main", "r::main"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(demangle_is_rust_legacy(cases[i].mangled));
        char *own = demangle_rust_instance(cases[i].mangled, cases[i].name, SYMBOL_NAMES_OWN);
        char *shorter = demangle_rust_instance(cases[i].mangled, cases[i].name, SYMBOL_NAMES_SHORT);
        assert_string_equal(own, cases[i].own);
        assert_string_equal(shorter, cases[i].shorter);
        free(own);
        free(shorter);
    }
    assert_false(demangle_is_rust_legacy("_ZN3foo3barEv"));
    assert_false(demangle_is_rust_legacy("_ZN1r4main17h0123456789abcdeE"));
    assert_false(demangle_is_rust_legacy("_ZN1r4main17h0123456789abcdef"));
    assert_false(demangle_is_rust_legacy("_RNvCs1234_7mycrate3foo"));
    assert_false(demangle_is_rust_legacy("main"));
}

static void d(void **state)
{
    expect("_D3std5stdio7writelnFZv", "std.stdio.writeln", "std.stdio.writeln()",
           "std.stdio.writeln()");
    expect("_D8demangle4testFaZv", "demangle.test", "demangle.test(char)", "demangle.test(char)");
    expect("_Dmain", "D main", "D main", "D main");
    same("_Dsomething");
    same("_D");
}

/* Known to be Ada's; what is not GNAT's stays. */
static void ada(void **state)
{
    static const char *const pairs[][2] = {
        {"_ada_main", "main"},
        {"shapes__inner__fill", "shapes.inner.fill"},
        {"shapes__Oadd", "shapes.\"+\""},
        {"shapes__make__2", "shapes.make"},
        {"system__standard_library__adafinal", "system.standard_library.adafinal"},
        {"__gnat_malloc", "__gnat_malloc"},
        {"Camel__Case", "Camel__Case"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *name = demangle_ada(pairs[i][0]);
        assert_string_equal(name, pairs[i][1]);
        free(name);
    }
}

static void rust_v0(void **state)
{
    expect("_RNvCs1234_7mycrate3foo", "mycrate::foo", "mycrate::foo", "mycrate[3c1c0]::foo");
    expect("_RINvNtC3std3mem8align_ofdE", "std::mem::align_of", "std::mem::align_of::<f64>",
           "std[0]::mem::align_of::<f64>");
    expect("_RINvNtC3std3mem8align_oflE", "std::mem::align_of", "std::mem::align_of::<i32>",
           "std[0]::mem::align_of::<i32>");
    expect("_RNCNvC1a4main0", "a::main::{closure#0}", "a::main::{closure#0}",
           "a[0]::main::{closure#0}");
}

static void unchanged(void **state)
{
    same("main");
    same("");
    same("_Z");
    same("_R");
    same("_ZN3foo");
    same("operator_of_machine");
    same("a<b");
}

/* What names become, which then have nothing more to leave out. */
static void expect_short(const char *const names[][2], size_t count, enum symbol_names way)
{
    for (size_t i = 0; i < count; i++) {
        char *text = strdup(names[i][0]);
        assert_non_null(text);
        for (int time = 0; time < 2; time++) {
            demangle_shorten(text, way);
            assert_string_equal(text, names[i][1]);
        }
        free(text);
    }
}

/* Every bracket left open, every prefix of a name: no access outside the string. */
static void damaged(void **state)
{
    static const char *const names[] = {
        "std::vector<int, std::map<a, b> >::operator()<x>(int (*)(long)) const [clone .cold]",
        "<alloc::vec::Vec<T> as core::ops::Drop>::drop::<u8>",
        "operator<=>(A::{lambda(int)#1}) const &&",
        "::<",
        "<",
        "(",
        "operator",
        "operator<"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        static const enum symbol_names way[] = {SYMBOL_NAMES_OWN, SYMBOL_NAMES_SHORT,
                                                SYMBOL_NAMES_NARROW};
        size_t length = strlen(names[i]);
        for (size_t end = 0; end <= length; end++) {
            char *text = strndup(names[i], end);
            assert_non_null(text);
            demangle_shorten(text, way[(i + end) % 3]);
            assert_true(strlen(text) <= end);
            free(text);
        }
    }
}

/* The program's own instances of a template are told apart, without what a compiler adds; a standard library's are not. */
static void own_templates(void **state)
{
    static const char *const names[][2] = {
        {"site<5>", "site<5>"},
        {"void site<5>(int)", "void site<5>"},
        {"app::Pool<int>::grow(unsigned long) const", "app::Pool<int>::grow"},
        {"std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector::push_back"},
        {"__gnu_cxx::new_allocator<app::Row<int> >::allocate(unsigned long, void const*)",
         "__gnu_cxx::new_allocator::allocate"},
        {"app::keep<std::vector<int, std::allocator<int> > >(int)", "app::keep<std::vector<int>>"},
        {"app::keep<std::vector<int, my::Arena<int> > >",
         "app::keep<std::vector<int, my::Arena<int>>>"},
        {"app::Index<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, "
         "app::Record>::insert<int>(int&&, std::less<void>) const",
         "app::Index<std::string, app::Record>::insert<int>"},
        {"app::of<std::map<int, std::basic_string_view<char, std::char_traits<char> >, "
         "std::less<int>, std::allocator<std::pair<int const, long> > > >",
         "app::of<std::map<int, std::string_view>>"},
        {"app::Own<int, std::hash<int> >::f", "app::Own<int, std::hash<int>>::f"},
        {"app::call<std::function<void (int, std::less<int>)> >(int)",
         "app::call<std::function<void (int, std::less<int>)>>"},
        {"app::call<main::{lambda(int)#1}>(main::{lambda(int)#1})",
         "app::call<main::{lambda(int)#1}>"},
        {"std::for_each<app::Row<int>*, main::{lambda()#1}>", "std::for_each"},
        {"app::Box<int>::operator std::vector<int, std::allocator<int> >",
         "app::Box<int>::operator std::vector"},
        {"app::Box<int>::operator()<long>(long)", "app::Box<int>::operator()<long>"},
        {"app::Box<int>::operator< <int>(int)", "app::Box<int>::operator<<int>"},
        {"app::grid<(app::Kind)3, 16ul>(int (*)(long)) [clone .cold]",
         "app::grid<(app::Kind)3, 16ul>"},
        {"(anonymous namespace)::Table<a::b<int>, c>::f()",
         "(anonymous namespace)::Table<a::b<int>, c>::f"},
        {"app::parse::<u32>", "app::parse::<u32>"},
        {"alloc::vec::Vec<T,A>::push", "alloc::vec::Vec::push"},
        {"core::ptr::drop_in_place::<app::Row<u8>>", "core::ptr::drop_in_place"},
        {"<alloc::vec::Vec<T> as core::ops::Drop>::drop",
         "<alloc::vec::Vec as core::ops::Drop>::drop"},
        {"<app::Matrix<f64> as core::ops::Drop>::drop",
         "<app::Matrix<f64> as core::ops::Drop>::drop"},
    };
    expect_short(names, sizeof names / sizeof *names, SYMBOL_NAMES_OWN);
    char *name = demangle_name("_Z4siteILi5EEvv", SYMBOL_NAMES_OWN);
    assert_string_equal(name, "site<5>");
    free(name);
}

/* Where there is little room, the standard libraries' templates have no arguments within others either. */
static void narrow(void **state)
{
    static const char *const names[][2] = {
        {"app::Handler<app::Response, std::map<std::string, std::vector<int> > >::run(int)",
         "app::Handler<app::Response, std::map>::run"},
        {"app::Pool<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > >::grow",
         "app::Pool<std::string>::grow"},
        {"app::Pool<std::map<int, app::Row<long>>::iterator>::grow",
         "app::Pool<std::map::iterator>::grow"},
        {"app::Pool<app::Row<std::vector<int>>>::grow<std::vector<int>>",
         "app::Pool<app::Row<std::vector>>::grow<std::vector>"},
        {"app::call<std::function<void (int)>, 5>", "app::call<std::function, 5>"},
        {"app::Pool<alloc::vec::Vec<u8>>::grow", "app::Pool<alloc::vec::Vec>::grow"},
        {"app::Pool<mystd::map<int>>::grow", "app::Pool<mystd::map<int>>::grow"},
        {"std::vector<int>::push_back", "std::vector::push_back"},
        {"app::keep<std::vector<int", "app::keep<std::vector"},
        {"operator new", "operator new"},
    };
    expect_short(names, sizeof names / sizeof *names, SYMBOL_NAMES_NARROW);
}

/* Tags of the ABI are for the linker. */
static void abi_tags(void **state)
{
    static const char *const names[][2] = {
        {"render[abi:cxx11]", "render"},
        {"app::render[abi:cxx11](int)", "app::render"},
        {"app::f[abi:v1][abi:v2]<int>::g", "app::f::g"},
        {"f[abi:open", "f[abi:open"},
        {"operator[]", "operator[]"},
        {"app::Box::operator std::string[abi:cxx11]", "app::Box::operator std::string"},
    };
    expect_short(names, sizeof names / sizeof *names, SYMBOL_NAMES_SHORT);
    char *name = demangle_name("_Z6renderB5cxx11i", SYMBOL_NAMES_SHORT);
    assert_string_equal(name, "render");
    free(name);
}

int main(void)
{
    return RUN_TESTS(cplusplus, operators, rust_legacy, rust_v0, d, ada, unchanged, damaged,
                     abi_tags, own_templates, narrow, rust_instances);
}
