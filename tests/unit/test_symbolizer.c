/* Looks up the labels of tests/targets/chain.c and shapes.cc in every form in which a program can
 * be found. The first argument is the directory of the built targets. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/affix.h"
#include "run_tests.h"
#include <gelf.h>

#include "symbol/source_path.h"
#include "symbol/symbolizer.h"

static const char *directory;

/* ---- Looking into the targets ---------------------------------------------------------------- */

static char *target_path(const char *name)
{
    static char paths[8][512];
    static size_t next;
    char *path = paths[next++ % 8];
    assert_true(snprintf(path, sizeof paths[0], "%s/%s", directory, name) < (int)sizeof paths[0]);
    return path;
}

/* The ELF virtual address of a symbol. */
static uint64_t symbol_address(const char *path, const char *name)
{
    uint64_t address = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    assert_non_null(elf);
    GElf_Shdr header;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        Elf_Data *data = elf_getdata(scn, NULL);
        GElf_Sym symbol;
        if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_SYMTAB)
            continue;
        for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
            const char *text = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (text && !strcmp(text, name))
                address = symbol.st_value;
        }
    }
    elf_end(elf);
    close(fd);
    assert_int_not_equal(address, 0);
    return address;
}

/* The segments of a file: their span, and the code segment alone. */
struct layout {
    uint64_t first, end;
    GElf_Phdr code;
};

static struct layout layout_of(const char *path)
{
    struct layout layout = {.first = UINT64_MAX};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    assert_non_null(elf);
    GElf_Phdr segment;
    for (int i = 0; gelf_getphdr(elf, i, &segment); i++) {
        if (segment.p_type != PT_LOAD)
            continue;
        if ((segment.p_vaddr & ~4095ull) < layout.first)
            layout.first = segment.p_vaddr & ~4095ull;
        if (segment.p_vaddr + segment.p_memsz > layout.end)
            layout.end = segment.p_vaddr + segment.p_memsz;
        if (segment.p_flags & PF_X)
            layout.code = segment;
    }
    elf_end(elf);
    close(fd);
    return layout;
}

static void set_build_id(struct heaptap_metadata *module, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    assert_non_null(elf);
    GElf_Shdr header;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Nhdr note;
        size_t name, description, next;
        if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_NOTE)
            continue;
        Elf_Data *data = elf_getdata(scn, NULL);
        for (size_t at = 0; (next = gelf_getnote(data, at, &note, &name, &description)); at = next)
            if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= HEAPTAP_BUILD_ID_MAX) {
                module->build_id_size = (uint8_t)note.n_descsz;
                memcpy(module->build_id, (char *)data->d_buf + description, note.n_descsz);
            }
    }
    elf_end(elf);
    close(fd);
    assert_int_equal(module->build_id_size, 20);
}

static const uint64_t BASE = 0x7f0000000000;

/* A record of the whole file at BASE, or where it belongs. */
static struct heaptap_metadata module_of(const char *path)
{
    struct layout layout = layout_of(path);
    struct heaptap_metadata module = {
        .kind = HEAPTAP_MODULE,
        .name = path,
        .address = layout.first ? layout.first : BASE,
        .size_bytes = layout.end - layout.first,
        .unloaded_us = -1,
    };
    set_build_id(&module, path);
    return module;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static struct symbolizer *make(const struct symbolizer_options *options)
{
    struct symbolizer *symbolizer;
    struct heaptap_error error;
    assert_int_equal(symbolizer_new(&symbolizer, options, &error), HEAPTAP_OK);
    return symbolizer;
}

static void add(struct symbolizer *symbolizer, const struct heaptap_metadata *module)
{
    assert_int_equal(symbolizer_add_module(symbolizer, module, NULL), HEAPTAP_OK);
}

static struct symbol_answer ask(struct symbolizer *symbolizer, uint64_t address, int64_t time_us)
{
    struct symbol_query query = {address, time_us};
    struct symbol_answer answer;
    assert_int_equal(symbolizer_resolve(symbolizer, &query, 1, &answer, NULL), HEAPTAP_OK);
    return answer;
}

static void expect_location(const struct symbol_answer *answer, size_t index, const char *function,
                            const char *file, uint32_t line)
{
    const struct heaptap_location *location = &answer->locations[index];
    assert_string_equal(location->function, function);
    const char *slash = strrchr(location->file, '/');
    assert_non_null(slash);
    assert_string_equal(slash + 1, file);
    assert_int_equal(location->line, line);
}

static void expect_chain(const struct symbol_answer *answer)
{
    assert_int_equal(answer->count, 3);
    expect_location(answer, 0, "outer", "chain.c", 302);
    expect_location(answer, 1, "middle", "chain.c", 202);
    expect_location(answer, 2, "leaf", "chain.c", 102);
}

static void expect_note(const struct symbolizer *symbolizer, const char *path,
                        enum symbol_note_kind kind)
{
    size_t count;
    const struct symbol_note *notes = symbolizer_notes(symbolizer, &count);
    assert_int_equal(count, 1);
    assert_string_equal(notes[0].module, path);
    assert_int_equal(notes[0].kind, kind);
    assert_true(strlen(notes[0].text) > 10);
}

static void expect_no_note(const struct symbolizer *symbolizer)
{
    size_t count;
    symbolizer_notes(symbolizer, &count);
    assert_int_equal(count, 0);
}

/* Looks the chain up in `name`, whose labels are those of `labels`. */
static struct symbol_answer ask_chain(struct symbolizer *symbolizer, const char *name,
                                      const char *labels)
{
    struct heaptap_metadata module = module_of(target_path(name));
    uint64_t bias = module.address == BASE ? BASE : 0;
    add(symbolizer, &module);
    return ask(symbolizer, bias + symbol_address(target_path(labels), "probe_leaf"), 0);
}

static void check_chain(const char *name, const char *labels,
                        const struct symbolizer_options *options)
{
    struct symbolizer *symbolizer = make(options);
    struct symbol_answer answer = ask_chain(symbolizer, name, labels);
    expect_chain(&answer);
    expect_no_note(symbolizer);
    symbolizer_free(symbolizer);
}

/* ---- Inlined chains, in every form ----------------------------------------------------------- */

static void dwarf5(void **state)
{
    check_chain("chain_dwarf5", "chain_dwarf5", NULL);
}

static void dwarf4(void **state)
{
    check_chain("chain_dwarf4", "chain_dwarf4", NULL);
}

static void split_dwarf(void **state)
{
    check_chain("chain_split", "chain_split", NULL);
    check_chain("chain_split4", "chain_split4", NULL);
}

static void position_dependent(void **state)
{
    assert_int_not_equal(layout_of(target_path("chain_fixed")).first, 0);
    check_chain("chain_fixed", "chain_fixed", NULL);
}

static void library(void **state)
{
    check_chain("libchain.so", "libchain.so", NULL);
}

static void debug_link(void **state)
{
    check_chain("separate/linked", "chain_dwarf5", NULL);
}

static void compressed_sections(void **state)
{
    check_chain("separate/compressed", "chain_dwarf5", NULL);
}

/* Where objcopy has no zstd there is nothing to read.  Not solved: of clang's DWARF 5 only the
 * outermost of the inlined frames is found. */
static void zstd_sections(void **state)
{
#ifndef __clang__
    if (access(target_path("separate/linked_zstd"), F_OK) != 0)
        return;
    check_chain("separate/compressed_zstd", "chain_dwarf5", NULL);
    check_chain("separate/linked_zstd", "chain_dwarf5", NULL);
#endif
}

static void build_id_directory(void **state)
{
    const char *directories[] = {target_path("separate/debug")};
    struct symbolizer_options options = {.debug_dirs = directories, .debug_dir_count = 1};
    check_chain("separate/bare", "chain_dwarf5", &options);
}

/* The program is gone, its debug file is there. */
static void debug_file_stands_in(void **state)
{
    const char *directories[] = {target_path("separate/debug")};
    struct symbolizer_options options = {.debug_dirs = directories, .debug_dir_count = 1};
    struct symbolizer *symbolizer = make(&options);
    struct heaptap_metadata module = module_of(target_path("chain_dwarf5"));
    module.name = "/nowhere/chain";
    add(symbolizer, &module);
    uint64_t probe = symbol_address(target_path("chain_dwarf5"), "probe_leaf");
    struct symbol_answer answer = ask(symbolizer, BASE + probe, 0);
    expect_chain(&answer);
    expect_note(symbolizer, "/nowhere/chain", SYMBOL_MISSING);
    symbolizer_free(symbolizer);
}

/* ---- Less and less information --------------------------------------------------------------- */

static void one_location(const char *name, const char *function, enum symbol_note_kind kind)
{
    struct symbolizer *symbolizer = make(NULL);
    struct symbol_answer answer = ask_chain(symbolizer, name, "chain_dwarf5");
    assert_int_equal(answer.count, 1);
    assert_string_equal(answer.locations[0].function, function);
    assert_string_equal(answer.locations[0].file, target_path(name));
    assert_int_equal(answer.locations[0].line, 0);
    expect_note(symbolizer, target_path(name), kind);
    symbolizer_free(symbolizer);
}

static void symbol_table_only(void **state)
{
    one_location("separate/symbols", "outer", SYMBOL_TABLE_ONLY);
}

static void dynamic_symbols_only(void **state)
{
    one_location("separate/stripped", "outer", SYMBOL_TABLE_ONLY);
}

static void split_file_lost(void **state)
{
    struct symbolizer *symbolizer = make(NULL);
    struct symbol_answer answer = ask_chain(symbolizer, "separate/unsplit", "chain_split");
    assert_int_equal(answer.count, 1);
    expect_location(&answer, 0, "outer", "chain.c", 102);
    expect_note(symbolizer, target_path("separate/unsplit"), SYMBOL_SPLIT_MISSING);
    symbolizer_free(symbolizer);
}

static void shared_file_lost(void **state)
{
    struct symbolizer *symbolizer = make(NULL);
    const char *path = target_path("separate/unshared");
    uint64_t probe = symbol_address(target_path("shapes"), "probe_hidden");
    assert_int_equal(symbolizer_add_file(symbolizer, path, NULL), HEAPTAP_OK);
    struct symbol_answer answer = ask(symbolizer, probe, 0);
    assert_int_equal(answer.count, 1);
    expect_location(&answer, 0, "zoo::(anonymous namespace)::hidden", "shapes.cc", 302);
    expect_note(symbolizer, path, SYMBOL_SHARED_MISSING);
    symbolizer_free(symbolizer);
}

/* `main` is in no dynamic table, and `outer` does not reach it. */
static void mini_debug_information(void **state)
{
    struct symbolizer *symbolizer = make(NULL);
    struct heaptap_metadata module = module_of(target_path("separate/mini"));
    add(symbolizer, &module);
    uint64_t start = symbol_address(target_path("chain_dwarf5"), "_start");
    struct symbol_answer answer = ask(symbolizer, BASE + start + 1, 0);
    assert_int_equal(answer.count, 1);
    assert_string_equal(answer.locations[0].function, "_start");
    symbolizer_free(symbolizer);
}

static void nothing_known(void **state)
{
    char function[32];
    struct symbolizer *symbolizer = make(NULL);
    struct heaptap_metadata module = module_of(target_path("separate/stripped"));
    uint64_t address = layout_of(module.name).end - 1; /* data, not code */
    add(symbolizer, &module);
    struct symbol_answer answer = ask(symbolizer, BASE + address, 0);
    snprintf(function, sizeof function, "stripped+0x%" PRIx64, address);
    assert_int_equal(answer.count, 1);
    assert_string_equal(answer.locations[0].function, function);
    assert_string_equal(answer.locations[0].file, module.name);
    expect_note(symbolizer, module.name, SYMBOL_STRIPPED);
    symbolizer_free(symbolizer);
}

/* A program that has lost its names still has its functions, told apart by where they begin. */
static void functions_of_stripped(void **state)
{
    char function[32];
    struct symbolizer *symbolizer = make(NULL);
    struct heaptap_metadata module = module_of(target_path("separate/stripped"));
    uint64_t start = symbol_address(target_path("chain_dwarf5"), "main");
    add(symbolizer, &module);
    snprintf(function, sizeof function, "stripped+0x%" PRIx64, start);
    struct symbol_answer first = ask(symbolizer, BASE + start + 1, 0);
    assert_string_equal(first.locations[0].function, function);
    struct symbol_answer later = ask(symbolizer, BASE + start + 9, 0);
    assert_string_equal(later.locations[0].function, function);
    assert_true(ends_with_offset(function));
    assert_false(ends_with_offset("main"));
    assert_false(ends_with_offset("operator+0x"));
    symbolizer_free(symbolizer);
}

static void missing_file(void **state)
{
    struct symbolizer *symbolizer = make(NULL);
    struct heaptap_metadata module = {.kind = HEAPTAP_MODULE,
                                      .name = "/nowhere/lib.so",
                                      .address = BASE,
                                      .size_bytes = 0x5000,
                                      .file_offset = 0x2000,
                                      .unloaded_us = -1};
    add(symbolizer, &module);
    struct symbol_query queries[] = {{BASE + 0x123, 0}, {BASE + 0x456, 0}};
    struct symbol_answer answers[2];
    assert_int_equal(symbolizer_resolve(symbolizer, queries, 2, answers, NULL), HEAPTAP_OK);
    assert_string_equal(answers[0].locations[0].function, "lib.so+0x2123");
    assert_string_equal(answers[1].locations[0].function, "lib.so+0x2456");
    assert_string_equal(answers[0].locations[0].file, "/nowhere/lib.so");
    ask(symbolizer, BASE + 1, 0);
    expect_note(symbolizer, "/nowhere/lib.so", SYMBOL_MISSING); /* once, though asked twice */
    symbolizer_free(symbolizer);
}

static void wrong_build_id(void **state)
{
    struct symbolizer *symbolizer = make(NULL);
    struct heaptap_metadata module = module_of(target_path("chain_dwarf5"));
    uint64_t probe = symbol_address(module.name, "probe_leaf");
    char function[32];
    module.build_id[3] ^= 1;
    add(symbolizer, &module);
    struct symbol_answer answer = ask(symbolizer, BASE + probe, 0);
    snprintf(function, sizeof function, "chain_dwarf5+0x%" PRIx64, probe);
    assert_int_equal(answer.count, 1);
    assert_string_equal(answer.locations[0].function, function);
    expect_note(symbolizer, module.name, SYMBOL_BUILD_ID_DIFFERS);
    symbolizer_free(symbolizer);
}

static void not_elf(void **state)
{
    struct symbolizer *symbolizer = make(NULL);
    assert_int_equal(symbolizer_add_file(symbolizer, target_path("separate.stamp"), NULL),
                     HEAPTAP_OK);
    struct symbol_answer answer = ask(symbolizer, 0x1234, 0);
    assert_int_equal(answer.count, 1);
    assert_string_equal(answer.locations[0].function, "separate.stamp+0x1234");
    expect_note(symbolizer, target_path("separate.stamp"), SYMBOL_UNREADABLE);
    symbolizer_free(symbolizer);
}

/* ---- C++ ------------------------------------------------------------------------------------- */

static struct symbol_answer ask_shape(struct symbolizer *symbolizer, const char *name,
                                      const char *probe)
{
    assert_int_equal(symbolizer_add_file(symbolizer, target_path(name), NULL), HEAPTAP_OK);
    return ask(symbolizer, symbol_address(target_path("shapes"), probe), 0);
}

static void check_shapes(const char *name)
{
    struct symbolizer *symbolizer = make(NULL);
    struct symbol_answer answer = ask_shape(symbolizer, name, "probe_constructor");
    assert_int_equal(answer.count, 2);
    expect_location(&answer, 0, "main", "shapes.cc", 402);
    expect_location(&answer, 1, "zoo::cage<int>::cage", "shapes.cc", 102);
    answer = ask(symbolizer, symbol_address(target_path("shapes"), "probe_hidden"), 0);
    assert_int_equal(answer.count, 1);
    expect_location(&answer, 0, "zoo::(anonymous namespace)::hidden", "shapes.cc", 302);
    answer = ask(symbolizer, symbol_address(target_path("shapes"), "probe_lambda"), 0);
    assert_int_equal(answer.count, 2);
    expect_location(&answer, 0, "zoo::cage<int>::each<main::{lambda(int)#1}>", "shapes.cc", 202);
    assert_memory_equal(answer.locations[1].function, "main::", 6);
    assert_true(strlen(answer.locations[1].function) > strlen("main::::operator()"));
    assert_non_null(strstr(answer.locations[1].function, "::operator()"));
    assert_int_equal(answer.locations[1].line, 403);
    expect_no_note(symbolizer);
    symbolizer_free(symbolizer);
}

static void cplusplus(void **state)
{
    check_shapes("shapes");
}

static void shared_by_dwz(void **state)
{
    assert_int_equal(access(target_path("separate/common.debug"), R_OK), 0);
    check_shapes("separate/shared1");
    check_shapes("separate/shared2");
}

static void name_styles(void **state)
{
    static const struct {
        enum symbol_names names;
        const char *name;
    } cases[] = {
        {SYMBOL_NAMES_OWN, "zoo::(anonymous namespace)::hidden"},
        {SYMBOL_NAMES_SHORT, "zoo::(anonymous namespace)::hidden"},
        {SYMBOL_NAMES_TEMPLATES, "zoo::(anonymous namespace)::hidden"},
        {SYMBOL_NAMES_FULL, "zoo::(anonymous namespace)::hidden(int)"},
        {SYMBOL_NAMES_RAW, "_ZN3zoo12_GLOBAL__N_16hiddenEi"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct symbolizer_options options = {.names = cases[i].names};
        struct symbolizer *symbolizer = make(&options);
        struct symbol_answer answer = ask_shape(symbolizer, "shapes", "probe_hidden");
        expect_location(&answer, 0, cases[i].name, "shapes.cc", 302);
        symbolizer_free(symbolizer);
    }
}

static void columns(void **state)
{
    struct symbolizer *symbolizer = make(NULL);
    struct symbol_answer answer = ask_chain(symbolizer, "chain_dwarf5", "chain_dwarf5");
    assert_int_equal(answer.locations[0].start_char, 4); /* of `middle (x * 3)` */
    assert_int_equal(answer.locations[0].end_char, 4);
    symbolizer_free(symbolizer);
    symbolizer = make(&(struct symbolizer_options){.drop_columns = true});
    answer = ask_chain(symbolizer, "chain_dwarf5", "chain_dwarf5");
    expect_chain(&answer);
    for (size_t i = 0; i < answer.count; i++)
        assert_int_equal(answer.locations[i].start_char | answer.locations[i].end_char, 0);
    symbolizer_free(symbolizer);
}

/* ---- Where modules are ----------------------------------------------------------------------- */

static void paths(void **state)
{
    static const char *const cases[][2] = {
        {"/a/b.c", "/a/b.c"},
        {"/a/./b/../c.c", "/a/c.c"},
        {"/../a.c", "/a.c"},
        {"//a//b.c", "/a/b.c"},
        {"./a/./b.c", "a/b.c"},
        {"a/../../b.c", "../b.c"},
        {"../../b.c", "../../b.c"},
        {"../a/../b.c", "../b.c"},
        {"a/b/../../c.c", "c.c"},
        {"/a/b/../../c.c", "/c.c"},
        {"a../../b.c", "b.c"},
        {"/a/x../../b.c", "/a/b.c"},
        {"a/..x/b", "a/..x/b"},
        {"/usr/bin/../lib/x/", "/usr/lib/x"},
        {"<built-in>", "<built-in>"},
        {"..", ".."},
        {"/", "/"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = strdup(cases[i][0]);
        assert_non_null(path);
        path_resolve_dots(path);
        assert_string_equal(path, cases[i][1]);
        free(path);
    }
}

static void outside(void **state)
{
    struct symbolizer *symbolizer = make(NULL);
    struct heaptap_metadata module = module_of(target_path("libchain.so"));
    add(symbolizer, &module);
    assert_int_equal(ask(symbolizer, BASE - 1, 0).count, 0);
    assert_int_equal(ask(symbolizer, BASE + module.size_bytes, 0).count, 0);
    assert_int_equal(ask(symbolizer, 0, 0).count, 0);
    assert_int_equal(ask(symbolizer, UINT64_MAX, 0).count, 0);
    assert_int_equal(ask(symbolizer, BASE, 0).count, 1);
    assert_int_equal(ask(symbolizer, BASE + module.size_bytes - 1, 0).count, 1);
    symbolizer_free(symbolizer);
}

/* Only the mapping of the code segment was recorded, as /proc/PID/maps tells it. */
static void one_segment(void **state)
{
    struct symbolizer *symbolizer = make(NULL);
    struct heaptap_metadata module = module_of(target_path("libchain.so"));
    GElf_Phdr code = layout_of(module.name).code;
    uint64_t skew = code.p_vaddr & 4095;
    module.address = BASE + 0x123000;
    module.file_offset = code.p_offset - skew;
    module.size_bytes = (skew + code.p_filesz + 4095) & ~4095ull;
    add(symbolizer, &module);
    uint64_t probe = symbol_address(module.name, "probe_leaf");
    struct symbol_answer answer =
        ask(symbolizer, module.address + (probe - code.p_vaddr) + skew, 0);
    expect_chain(&answer);
    symbolizer_free(symbolizer);
}

/* One library after another at the same address, a third one beside them all the time. */
static void modules_over_time(void **state)
{
    struct symbolizer *symbolizer = make(NULL);
    struct heaptap_metadata first = module_of(target_path("libchain.so"));
    struct heaptap_metadata second = module_of(target_path("shapes"));
    struct heaptap_metadata third = module_of(target_path("chain_dwarf4"));
    uint64_t chain = BASE + symbol_address(first.name, "probe_leaf");
    uint64_t shape = BASE + symbol_address(second.name, "probe_hidden");
    first.loaded_us = 100;
    first.unloaded_us = 200;
    second.loaded_us = 300;
    third.address = BASE + 0x10000000;
    uint64_t beside = third.address + symbol_address(third.name, "probe_outer");
    add(symbolizer, &third);
    add(symbolizer, &second);
    add(symbolizer, &first);
    struct symbol_query queries[] = {
        {chain, 100}, {chain, 199}, {shape, 300}, {beside, 0},
        {chain, 90},  {chain, 210}, {shape, 290},
    };
    struct symbol_answer answers[7];
    assert_int_equal(symbolizer_resolve(symbolizer, queries, 7, answers, NULL), HEAPTAP_OK);
    expect_chain(&answers[0]);
    expect_chain(&answers[1]);
    expect_location(&answers[2], 0, "zoo::(anonymous namespace)::hidden", "shapes.cc", 302);
    expect_location(&answers[3], 0, "outer", "chain.c", 303);
    expect_chain(&answers[4]); /* before it was noticed */
    expect_chain(&answers[5]); /* nearer to its end than to the next one's start */
    expect_location(&answers[6], 0, "zoo::(anonymous namespace)::hidden", "shapes.cc", 302);
    assert_ptr_equal(answers[0].locations, answers[1].locations); /* looked up once */
    assert_ptr_equal(answers[2].locations[0].file, answers[6].locations[0].file);
    symbolizer_free(symbolizer);
}

/* Codes tell which of them it was, whatever the times say. */
static void modules_by_epoch(void **state)
{
    struct symbolizer *symbolizer = make(NULL);
    struct heaptap_metadata first = module_of(target_path("libchain.so"));
    struct heaptap_metadata second = module_of(target_path("shapes"));
    uint64_t chain = BASE + symbol_address(first.name, "probe_leaf");
    uint64_t shape = BASE + symbol_address(second.name, "probe_hidden");
    first.unloaded_us = -1; /* a record from before its end */
    second.number = 1;
    add(symbolizer, &first);
    add(symbolizer, &second);
    struct symbol_query queries[] = {
        {chain, 500}, {shape | UINT64_C(1) << 48, 0}, {shape | UINT64_C(7) << 48, 0}};
    struct symbol_answer answers[3];
    assert_int_equal(symbolizer_resolve(symbolizer, queries, 3, answers, NULL), HEAPTAP_OK);
    expect_chain(&answers[0]);
    expect_location(&answers[1], 0, "zoo::(anonymous namespace)::hidden", "shapes.cc", 302);
    assert_true(answers[2].count > 0); /* of no known epoch: by time */
    symbolizer_free(symbolizer);
}

static void misuse(void **state)
{
    struct heaptap_error error;
    struct symbolizer *symbolizer;
    const char *directories[] = {"/nowhere/at/all"};
    struct symbolizer_options options = {.debug_dirs = directories, .debug_dir_count = 1};
    assert_int_equal(symbolizer_new(&symbolizer, &options, &error), HEAPTAP_SYSTEM);
    assert_null(symbolizer);
    assert_non_null(strstr(error.message, "/nowhere/at/all"));
    symbolizer = make(NULL);
    struct heaptap_metadata record = {.kind = HEAPTAP_THREAD, .name = "worker"};
    assert_int_equal(symbolizer_add_module(symbolizer, &record, &error), HEAPTAP_BAD_ARGUMENT);
    record.kind = HEAPTAP_MODULE; /* of no bytes */
    assert_int_equal(symbolizer_add_module(symbolizer, &record, &error), HEAPTAP_BAD_ARGUMENT);
    assert_int_equal(symbolizer_add_file(symbolizer, "a", &error), HEAPTAP_OK);
    assert_int_equal(symbolizer_add_file(symbolizer, "b", &error), HEAPTAP_BAD_STATE);
    assert_int_equal(symbolizer_resolve(symbolizer, NULL, 0, NULL, &error), HEAPTAP_OK);
    symbolizer_free(symbolizer);
    symbolizer_free(NULL);
}

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

static void write_all(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* ---- Several processes ----------------------------------------------------------------------- */

/* That no file is opened for a place that is known is seen by there being no file any more. */
static void known_places(void **state)
{
    const uint64_t other_base = BASE + 0x10000000;
    char *path = target_path("mapped_twice");
    size_t size;
    char *data = read_all(target_path("chain_dwarf5"), &size);
    write_all(path, data, size);
    free(data);
    struct heaptap_metadata module = module_of(path);
    uint64_t probe = symbol_address(path, "probe_leaf");
    struct symbolizer *symbolizer = make(NULL);
    add(symbolizer, &module);
    struct symbol_answer first = ask(symbolizer, BASE + probe, 0);
    unlink(path);
    expect_chain(&first);

    symbolizer_forget_modules(symbolizer);
    struct symbol_answer nowhere = ask(symbolizer, BASE + probe, 0);
    assert_int_equal(nowhere.count, 0);

    module.address = other_base;
    add(symbolizer, &module);
    struct symbol_answer second = ask(symbolizer, other_base + probe, 0);
    assert_ptr_equal(second.locations, first.locations);
    expect_chain(&second);
    expect_no_note(symbolizer);

    struct symbol_answer unknown = ask(symbolizer, other_base + probe + 1000, 0);
    assert_int_equal(unknown.count, 1);
    expect_note(symbolizer, path, SYMBOL_MISSING);
    symbolizer_free(symbolizer);
}

/* The same path, another program, as after a build in the middle of a recording. */
static void known_places_of_another_build(void **state)
{
    struct heaptap_metadata module = module_of(target_path("chain_dwarf5"));
    uint64_t probe = symbol_address(module.name, "probe_leaf");
    struct symbolizer *symbolizer = make(NULL);
    add(symbolizer, &module);
    struct symbol_answer first = ask(symbolizer, BASE + probe, 0);
    expect_chain(&first);
    symbolizer_forget_modules(symbolizer);
    module.build_id[3] ^= 1;
    add(symbolizer, &module);
    struct symbol_answer other = ask(symbolizer, BASE + probe, 0);
    assert_int_equal(other.count, 1);
    expect_note(symbolizer, module.name, SYMBOL_BUILD_ID_DIFFERS);
    symbolizer_free(symbolizer);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

/* Answers are whatever they are; that there is one for each address in the file is what counts. */
static void ask_damaged(const char *path, uint64_t probe)
{
    struct symbolizer *symbolizer = make(NULL);
    assert_int_equal(symbolizer_add_file(symbolizer, path, NULL), HEAPTAP_OK);
    struct symbol_query queries[16];
    struct symbol_answer answers[16];
    for (size_t i = 0; i < 16; i++)
        queries[i].code = probe + 16 * i - 64;
    assert_int_equal(symbolizer_resolve(symbolizer, queries, 16, answers, NULL), HEAPTAP_OK);
    for (size_t i = 0; i < 16; i++) {
        assert_true(answers[i].count > 0);
        for (size_t j = 0; j < answers[i].count; j++) {
            assert_non_null(answers[i].locations[j].file);
            assert_non_null(answers[i].locations[j].function);
        }
    }
    symbolizer_free(symbolizer);
}

static void cut_files(void **state)
{
    char *path = target_path("damaged");
    uint64_t probe = symbol_address(target_path("chain_dwarf5"), "probe_leaf");
    size_t size;
    char *data = read_all(target_path("chain_dwarf5"), &size);
    for (size_t cut = 0; cut < size; cut += 1 + size / 60) {
        write_all(path, data, cut);
        ask_damaged(path, probe);
    }
    unlink(path);
    free(data);
}

/* The address and size of a section in a file. */
static void section_bytes(const char *path, const char *name, size_t *offset, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    size_t strings;
    *size = 0;
    assert_int_equal(elf_getshdrstrndx(elf, &strings), 0);
    GElf_Shdr header;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
        if (gelf_getshdr(scn, &header) && !strcmp(elf_strptr(elf, strings, header.sh_name), name)) {
            *offset = header.sh_offset;
            *size = header.sh_size;
        }
    elf_end(elf);
    close(fd);
    assert_int_not_equal(*size, 0);
}

static void damaged_dwarf(void **state)
{
    static const char *const sections[] = {".debug_info", ".debug_abbrev", ".debug_line",
                                           ".debug_line_str"};
    const char *program = target_path("chain_dwarf5");
    char *path = target_path("damaged");
    uint64_t probe = symbol_address(program, "probe_leaf");
    size_t size, offset = 0, length;
    char *data = read_all(program, &size);
    uint32_t random = 12345;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        section_bytes(program, sections[i], &offset, &length);
        for (int round = 0; round < 60; round++) {
            random = random * 1664525 + 1013904223;
            char *byte = data + offset + (random >> 8) % length, kept = *byte;
            *byte = (char)(random >> 3);
            write_all(path, data, size);
            ask_damaged(path, probe);
            *byte = kept;
        }
    }
    unlink(path);
    free(data);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: test_symbolizer DIRECTORY_OF_TARGETS\n");
        return 2;
    }
    directory = argv[1];
    elf_version(EV_CURRENT);
    unsetenv("DEBUGINFOD_URLS");
    return RUN_TESTS(dwarf5, dwarf4, split_dwarf, position_dependent, library, debug_link,
                     compressed_sections, zstd_sections, build_id_directory, debug_file_stands_in,
                     symbol_table_only, dynamic_symbols_only, split_file_lost, shared_file_lost,
                     mini_debug_information, nothing_known, functions_of_stripped, missing_file,
                     wrong_build_id, known_places, known_places_of_another_build, not_elf,
                     cplusplus, shared_by_dwz, name_styles, columns, paths, outside, one_segment,
                     modules_over_time, modules_by_epoch, misuse, cut_files, damaged_dwarf);
}
