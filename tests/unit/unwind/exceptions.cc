extern "C" {
void visit(void);
void throw_and_catch(int depth);
}

namespace {

struct visitor {
    int words[7];
    ~visitor() { visit(); }
};

__attribute__((noinline)) void throws(int depth)
{
    visitor here;
    here.words[depth % 7] = depth;
    visit();
    if (depth == 0)
        throw 3;
    throws(depth - 1);
    visit();
}

} // namespace

void throw_and_catch(int depth)
{
    try {
        throws(depth);
    } catch (int &) {
        visit();
    }
    visit();
}
