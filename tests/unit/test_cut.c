/* Texts cut to a width. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "run_tests.h"
#include "answer/cut.h"

static void check(const char *name, int width, const char *wanted)
{
    char *text = cut_name(name, width);
    assert_non_null(text);
    assert_string_equal(text, wanted);
    free(text);
}

/* What has the arguments, their beginning, and the end. */
static void instances(void **state)
{
    check("app::Handler<Response, std::map>::run", 33, "…Handler<Response, std::map>::run");
    check("app::Handler<Response, std::map>::run", 32, "…Handler<Response, std::m…>::run");
    check("app::Handler<Response, std::map>::run", 27, "…Handler<Response, s…>::run");
    check("app::Handler<Request, std::map>::run", 27, "…Handler<Request, st…>::run");
    check("Handler<Request, std::map>::run", 27, "Handler<Request, std…>::run");
    check("Handler<Request, std::map>::run", 20, "Handler<Reque…>::run");
    check("Handler<Request, std::map>::run", 18, "…t, std::map>::run"); /* no room for arguments */
    check("app::Outer<long>::Inner<Request, Response>::run", 24, "…Inner<Request, R…>::run");
    check("app::Index<std::string, Record>::insert<int>", 33, "…Index<std::string…>::insert<int>");
    check("app::call<main::{lambda#1}, Kind>", 20, "…call<main::{lambd…>");
    check("app::Box<Request, Response>::operator<<", 32, "…Box<Request, Resp…>::operator<<");
}

/* The end. */
static void others(void **state)
{
    check("inner::name", 8, "…r::name");
    check("src/engine/hash_table.c:12", 16, "…hash_table.c:12");
    check("app::Handler<Response>::run_all_of_them", 16, "…run_all_of_them");
    check("a::f::operator<", 5, "…tor<");
    check("Broken<int, long", 9, "…nt, long");
    check("grün::größe", 6, "…größe");
}

/* Where it begins, and where it leads to. */
static void ways(void **state)
{
    check("list (global, lk.c:5) -> node -> add (lk.c:6)", 21, "list (glob…d (lk.c:6)");
    check("größe -> b", 7, "grö…> b");
}

static void ends(void **state)
{
    char *text = cut_end("beginning", 7);
    assert_string_equal(text, "beginn…");
    free(text);
}

int main(void)
{
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        return 77;
    return RUN_TESTS(instances, others, ways, ends);
}
