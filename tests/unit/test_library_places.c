/* Functions of libraries taken off the ends of stacks. */
#include <stdlib.h>

#include "run_tests.h"
#include "profile/selection.h"
#include "stack_value.h"

static void test_names(void **state)
{
    static const char *const machinery[] = {
        "malloc",
        "xmalloc",
        "g_malloc0",
        "PyMem_Realloc",
        "_PyObject_Malloc",
        "strdup",
        "__strndup",
        "palloc",
        "AllocSetAlloc",
        "operator new",
        "operator new[]",
        "_Znwm",
        "std::vector::push_back",
        "_ZNSt6vectorIiE9push_backEi",
        "my_reallocarray",
        "Stdlib.List.map",
        "Stdlib__Bytes.sub",
        "camlStdlib__Buffer__resize_123",
        "av_mallocz",
        "sqlite3DbMallocRawNN",
        "caml_alloc_small_dispatch",
        "__rust_alloc",
        "libjemalloc.so.2+0x1234",
        "tcmalloc::allocate_full_malloc_oom",
        "QArrayData::allocate",
        "__gnu_cxx::new_allocator::allocate",
        "core::ops::call",
        "alloc::vec::Vec::push",
        "<alloc::raw_vec::RawVecInner>::finish_grow",
        "<alloc[fdfd2bd8633a6659]::raw_vec::RawVecInner>::finish_grow",
        "alloc[fdfd2bd8633a6659]::alloc::alloc",
        "std[0]::mem::align_of::<f64>",
        "<std[e28293b1aa0f68bd]::io::Stdin as std[e28293b1aa0f68bd]::io::Read>::read",
        "<&dyn core[c1f1a4ba060b9bfa]::ops::function::Fn<()> as app::Go>::call_once",
        "<&mut core::fmt::Formatter>::pad",
        "void std::vector<int, std::allocator<int> >::emplace_back<int>(int&&)",
        "std::unique_ptr<Doc> std::make_unique<Doc>()",
        "void* operator new(unsigned long)",
        "app::Heap<a::b>::my_malloc",
        "(anonymous namespace)::my_malloc<a::b, void (int)>",
        "app::my_malloc::<u8>",
    };
    static const char *const others[] = {
        "main",
        "f",
        "operator+",
        "standard::f",
        "<alloc_pool[fdfd2bd8633a6659]::Pool>::grow",
        "<app[9c1]::Pool as alloc[fdfd2bd8633a6659]::Go>::grow",
        "alloc[fdfd",
        "<&",
        "app::allocators::Pool::grow",
        "+0x1a110c",
        "newton",
        "node_alloc",
        "alloc_node",
        "app::Pool::allocate",
        "Buffer::reallocate",
        "file_preallocate",
        "file_prealloc",
        "app::palloc",
        "dealloc_all",
        "f<malloc>",
        "app::Pool<my::malloc>::grow",
        "app::call<(a::b)3, my::malloc>",
        "std::string app::name_of<int>(int)",
    };
    for (size_t i = 0; i < sizeof machinery / sizeof *machinery; i++)
        if (!allocator_is_name(machinery[i]))
            fail_msg("%s is machinery", machinery[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (allocator_is_name(others[i]))
            fail_msg("%s is none", others[i]);
}

static void test_places(void **state)
{
    struct heaptap_location rust = {.file = "/rustc/5980/library/alloc/src/slice.rs",
                                    .function = "<[u8]>::to_vec"};
    struct heaptap_location crate = {.file = "/rust/deps/hashbrown-0.16.1/src/raw/mod.rs",
                                     .function = "hashbrown::raw::RawTableInner::prepare_resize"};
    struct heaptap_location own = {.file = "src/rustc/main.rs", .function = "<[u8]>::to_vec"};
    struct heaptap_location bare = {.function = "std::vector::push_back"};
    static const char *const none[] = {NULL};
    assert_true(library_is_place(&rust, none));
    assert_true(library_is_place(&crate, none));
    assert_false(library_is_place(&own, none));
    assert_true(library_is_place(&bare, none));
}

static void test_program(void **state)
{
    static const struct {
        const char *program, *main_file, *module, *file, *function;
        enum library_kind kind;
    } cases[] = {
        /* the main program lies in a folder of packages */
        {"/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus", "", "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus",
         "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus", "grokdeclarator", LIBRARY_NONE},
        {"/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus", "", NULL,
         "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus", "cc1plus+0x1234", LIBRARY_NONE},
        {"/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus", "", NULL,
         "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus", "xmalloc", LIBRARY_CODE},
        {"/srv/vendor/app/bin/app", "", NULL, "/srv/vendor/app/src/parse.c", "parse", LIBRARY_NONE},
        {"/srv/vendor/app/bin/app", "", NULL, "/srv/vendor/zlib/inflate.c", "inflate",
         LIBRARY_CODE},
        {"/srv/vendor/app/bin/app", "", NULL, "/srv/vendor/app/vendor/zlib/inflate.c", "inflate",
         LIBRARY_CODE},
        {"/srv/vendor/app", "", NULL, "/srv/vendor/parse.c", "parse", LIBRARY_NONE},
        {"/srv/node_modules/app/build/app", "", NULL, "/srv/node_modules/app/a.cc", "parse",
         LIBRARY_NONE},
        {"/usr/lib/ruby/bin/tool", "", NULL, "/usr/lib/ruby/bin/tool", "parse", LIBRARY_NONE},
        {"/v/site-packages/tool/bin/tool", "", NULL, "/v/site-packages/tool/main.c", "parse",
         LIBRARY_NONE},
        /* ... or was built there */
        {"/usr/bin/app", "/build/vendor/app/main.c", NULL, "/build/vendor/app/parse.c", "parse",
         LIBRARY_NONE},
        {"/root/go/bin/app", "/root/go/pkg/mod/x.org/app@v1.2.0/main.go", NULL,
         "/root/go/pkg/mod/x.org/app@v1.2.0/parse/parse.go", "x.org/app/parse.Parse", LIBRARY_NONE},
        {"/root/go/bin/app", "/root/go/pkg/mod/x.org/app@v1.2.0/main.go", NULL,
         "/root/go/pkg/mod/x.org/yaml@v3.0.1/parse.go", "x.org/yaml.Parse", LIBRARY_CODE},
        /* shared libraries of the distribution */
        {"/usr/bin/git", "", NULL, "/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", "deflateInit2_",
         LIBRARY_SHARED},
        {"/usr/bin/git", "", "/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", "./deflate.c",
         "deflateInit2_", LIBRARY_SHARED},
        {"/usr/bin/git", "", "/lib/aarch64-linux-gnu/libz.so.1", "", "deflate", LIBRARY_SHARED},
        {"/usr/bin/git", "", "/usr/lib64/libz.so", "", "deflate", LIBRARY_SHARED},
        {"/usr/bin/git", "", "/usr/lib/x86_64-linux-gnu/libc.so.6", "", "malloc", LIBRARY_CODE},
        {"/usr/bin/git", "", "/opt/app/lib/libz.so.1", "./deflate.c", "deflate", LIBRARY_NONE},
        {"/usr/bin/git", "", "/home/me/usr/lib/libz.so.1", "./deflate.c", "deflate", LIBRARY_NONE},
        {"/usr/bin/git", "", "/usr/lib/git-core/git-remote-http", "http.c", "fetch", LIBRARY_NONE},
        {"/usr/bin/git", "", "/usr/lib/x.sorted", "", "f", LIBRARY_NONE},
        {"/usr/lib/libapp.so", "", "/usr/lib/libapp.so", "app.c", "run", LIBRARY_NONE},
        {"", "", NULL, "", "git_main", LIBRARY_NONE},
        /* what stands around main, and between calls */
        {"/usr/bin/git", "", "/usr/bin/git", "", "_start", LIBRARY_SHARED},
        {"/usr/bin/app", "", "/usr/bin/app", "", "caml_curry2_1", LIBRARY_CODE},
        {"/usr/bin/app", "", "/usr/bin/app", "", "caml_apply3", LIBRARY_CODE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct library_program program = {.homes = {cases[i].program, cases[i].main_file}};
        struct heaptap_location location = {.file = cases[i].file, .function = cases[i].function};
        enum library_kind kind = library_kind_of(&program, cases[i].module, &location);
        if (kind != cases[i].kind)
            fail_msg("%s in %s of %s: kind %d", cases[i].function, cases[i].file, cases[i].program,
                     kind);
    }
    struct library_program git = {.homes = {"/usr/bin/git"}},
                           ocaml = {.homes = {"app.exe"}, .is_nameless_runtime = true};
    assert_int_equal(library_kind_of(&git, "/usr/lib/libz.so.1", NULL), LIBRARY_SHARED);
    assert_int_equal(library_kind_of(&git, "/usr/bin/git", NULL), LIBRARY_NONE);
    assert_int_equal(library_kind_of(&git, NULL, NULL), LIBRARY_NONE);
    assert_int_equal(library_kind_of(&ocaml, NULL, NULL), LIBRARY_CODE);
}

/* Frames 0: unknown; 1: main; 2: malloc; 3: xmalloc; 4: f with std::a and malloc inlined. */
static const struct {
    size_t count;
    struct heaptap_location locations[3];
} frames[] = {
    {0, {{0}}},
    {1, {{.file = "a.c", .function = "main", .line = 1}}},
    {1, {{.file = "m.c", .function = "malloc", .line = 2}}},
    {1, {{.file = "x.c", .function = "xmalloc", .line = 3}}},
    {3,
     {{.file = "f.c", .function = "f", .line = 4},
      {.file = "s.h", .function = "std::a"},
      {.file = "m.h", .function = "malloc"}}},
};

/* What a filter that hides libraries leaves of a profile of which the stacks are added. */
struct hiding {
    struct model *model;
    struct selection selection;
};

static void hiding_begin(struct hiding *hiding)
{
    hiding->model = model_new(MODEL_SAMPLES);
    assert_true(model_add_value_type(hiding->model, "space", "bytes"));
}

static void add(struct hiding *hiding, int64_t value, const uint32_t *stack, uint32_t length)
{
    uint32_t number = model_stack(hiding->model, stack, length, HEAPTAP_CALLER_FIRST);
    assert_true(model_add_sample(hiding->model, number, 0, &value));
}

static void hiding_select(struct hiding *hiding)
{
    struct filter filter;
    struct matcher matcher;
    struct selection_options what = {0};
    assert_true(model_samples_end(hiding->model));
    assert_int_equal(filter_parse(&filter, "", NULL, NULL), HEAPTAP_OK);
    filter.hides_libraries = true;
    assert_int_equal(matcher_init(&matcher, hiding->model, &filter, NULL, NULL), HEAPTAP_OK);
    assert_true(selection_init(&hiding->selection, &matcher, &filter, &what, NULL));
    matcher_release(&matcher);
    filter_release(&filter);
}

static void hiding_end(struct hiding *hiding)
{
    selection_release(&hiding->selection);
    model_free(hiding->model);
}

static void test_take_off(void **state)
{
    static const size_t counts[] = {0, 1, 1, 1, 1};
    struct hiding hiding;
    hiding_begin(&hiding);
    for (uint32_t i = 0; i < 5; i++)
        model_add_frame(hiding.model, 0x1000 + i, MODEL_NONE, frames[i].locations, frames[i].count);
    add(&hiding, 1, (uint32_t[]){1, 3, 2}, 3);   /* main: new, as no stack ended there */
    add(&hiding, 10, (uint32_t[]){1, 4, 2}, 3);  /* f, in which machinery is inlined */
    add(&hiding, 100, (uint32_t[]){1, 0, 2}, 3); /* an unknown function is no machinery */
    add(&hiding, 1000, (uint32_t[]){3, 2}, 2);   /* nothing else: stays */
    add(&hiding, 10000, (uint32_t[]){1, 3}, 2);  /* main again */
    add(&hiding, 100000, (uint32_t[]){2, 4}, 2); /* machinery further out doesn't matter */
    hiding_select(&hiding);
    assert_int_equal(stack_value(&hiding.selection.profile, (uint32_t[]){1}, 1), 10001);
    assert_int_equal(stack_value(&hiding.selection.profile, (uint32_t[]){1, 3, 2}, 3), 0);
    assert_int_equal(stack_value(&hiding.selection.profile, (uint32_t[]){1, 3}, 2), 0);
    assert_int_equal(stack_value(&hiding.selection.profile, (uint32_t[]){1, 4}, 2), 10);
    assert_int_equal(stack_value(&hiding.selection.profile, (uint32_t[]){1, 0}, 2), 100);
    assert_int_equal(stack_value(&hiding.selection.profile, (uint32_t[]){3, 2}, 2), 1000);
    assert_int_equal(stack_value(&hiding.selection.profile, (uint32_t[]){2, 4}, 2), 100000);
    assert_int_equal(hiding.selection.profile.total.value, 111111);
    assert_int_equal(hiding.selection.hidden.functions, 3); /* malloc, xmalloc, std::a */
    assert_int_equal(hiding.selection.hidden.tally.value, 110111);
    const struct frame_source *left = &hiding.selection.frames;
    for (uint32_t frame = 0; frame < 5; frame++) {
        size_t count;
        const struct heaptap_location *at = left->locations(left->context, frame, &count);
        assert_int_equal(count, counts[frame]);
        if (count > 0)
            assert_string_equal(at->function, frames[frame].locations->function);
        assert_int_equal(left->code(left->context, frame), 0x1000 + frame);
    }
    hiding_end(&hiding);
}

/* Frames 0: the program's main; 1: palloc; 2: without a name; 3: zlib's; 4: glib's; 5: without a name, too; 6: libc's; 7: main
 * with a line. */
static const struct heaptap_location named[] = {
    {.file = "/usr/bin/postgres", .function = "main"},
    {.file = "/usr/bin/postgres", .function = "palloc"},
    {.file = "/usr/bin/postgres", .function = "postgres+0x5f32a0"},
    {.file = "/usr/lib/libz.so.1", .function = "deflateInit2_"},
    {.file = "/usr/lib/libglib-2.0.so.0", .function = "g_malloc"},
    {.file = "/usr/bin/postgres", .function = "postgres+0x100"},
    {.file = "/usr/lib/libc.so.6", .function = "__libc_start_call_main"},
    {.file = "pg.c", .function = "main", .line = 7},
};

static void check_end(const uint32_t *stack, uint32_t length, uint32_t left, size_t functions)
{
    static const struct model_module program = {.path = "/usr/bin/postgres", .build_id = ""};
    struct hiding hiding;
    hiding_begin(&hiding);
    model_add_module(hiding.model, &program);
    for (uint32_t i = 0; i < 8; i++)
        model_add_frame(hiding.model, 0x1000 + i, MODEL_NONE, &named[i], 1);
    add(&hiding, 1, stack, length);
    hiding_select(&hiding);
    assert_int_equal(stack_value(&hiding.selection.profile, stack, left), 1);
    assert_int_equal(hiding.selection.hidden.functions, functions);
    assert_int_equal(hiding.selection.hidden.tally.value, left < length);
    hiding_end(&hiding);
}

/* What an allocator calls is a part of it, if it has no name; a stack in libraries alone ends where they begin to allocate. */
static void test_ends(void **state)
{
    check_end((uint32_t[]){0, 5, 1, 2}, 4, 2, 2);
    check_end((uint32_t[]){0, 5, 1, 2, 2, 1, 2}, 7, 2, 2);
    check_end((uint32_t[]){0, 2, 5}, 3, 3, 0);
    check_end((uint32_t[]){7, 5, 3, 4}, 4, 2, 2);
    check_end((uint32_t[]){3, 4}, 2, 1, 1);
    check_end((uint32_t[]){1, 2}, 2, 2, 0);
    check_end((uint32_t[]){6, 0, 3, 4}, 4, 3, 1);    /* a main without a line */
    check_end((uint32_t[]){6, 5, 3, 4}, 4, 3, 1);    /* ... without a name */
    check_end((uint32_t[]){6, 5, 5, 3, 4}, 5, 3, 2); /* there is more of the program */
    check_end((uint32_t[]){6, 7, 3, 4}, 4, 2, 2);    /* the line tells where */
    check_end((uint32_t[]){6, 0, 1}, 3, 2, 1);
    check_end((uint32_t[]){6, 5}, 2, 2, 0);
}

int main(void)
{
    return RUN_TESTS(test_names, test_places, test_program, test_take_off, test_ends);
}
