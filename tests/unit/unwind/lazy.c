/* A function whose implementation is chosen when it is first called, by a resolver that calls back:
 * from inside the loader's lazy binding. */
__attribute__((visibility("default"))) extern void (*lazy_visit)(void);
__attribute__((visibility("default"))) int lazy_run(void);
__attribute__((visibility("default"))) int lazy_chosen(int n);

void (*lazy_visit)(void);

static int implementation(int n)
{
    return n + 1;
}

static __attribute__((used)) int (*resolver(void))(int)
{
    if (lazy_visit)
        lazy_visit();
    return implementation;
}

int lazy_chosen(int n) __attribute__((ifunc("resolver")));

int lazy_run(void)
{
    return lazy_chosen(1) + 1;
}
