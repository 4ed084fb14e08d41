/* Functions inlined into each other round labelled instructions.  Never run: the symbolizer's tests
 * look the labels up.  The lines are fixed by #line, so that this comment may grow. */
#define VISIBLE __attribute__((noinline, used, visibility("default")))
#define INLINED static inline __attribute__((always_inline))

void outer(int x);

#line 100
INLINED void leaf(int x)
{
    __asm__ volatile(".globl probe_leaf\nprobe_leaf: nop" : : "r"(x));
}

#line 200
INLINED void middle(int x)
{
    leaf(x + 1);
}

#line 300
VISIBLE void outer(int x)
{
    middle(x * 3);
    __asm__ volatile(".globl probe_outer\nprobe_outer: nop");
}

#line 400
int main(int argc, char **argv)
{
    outer(argc);
    return 0;
}
