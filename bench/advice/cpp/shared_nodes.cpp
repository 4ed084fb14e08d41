// Nodes of a tree behind shared pointers that were made from new.
#include <cstdio>
#include <memory>
#include <vector>

struct Node {
    int value;
    std::shared_ptr<Node> left, right;
};

static std::shared_ptr<Node> build(int depth)
{
    std::shared_ptr<Node> node(new Node{depth, nullptr, nullptr}); // here: shared-without-make also: arena also: temporary-objects
    if (depth > 0) {
        node->left = build(depth - 1);
        node->right = build(depth - 1);
    }
    return node;
}

int main()
{
    std::vector<std::shared_ptr<Node>> trees;
    trees.reserve(8);
    for (int i = 0; i < 8; i++)
        trees.push_back(build(9));
    std::printf("%zu\n", trees.size());
}
