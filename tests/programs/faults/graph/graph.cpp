#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Node {
    std::string name;
    std::vector<std::shared_ptr<Node>> next;
    std::shared_ptr<Node> back;
    explicit Node(std::string name) : name(std::move(name)) {}
};

static std::shared_ptr<Node> chain(int number)
{
    auto first = std::make_shared<Node>("the first node of chain " + std::to_string(number));
    auto last = first;
    for (int i = 0; i < 20; i++) {
        auto node = std::make_shared<Node>("a node further down, with its number " + std::to_string(i));
        node->back = last;
        last->next.push_back(node);
        last = node;
    }
    return first;
}

static size_t length(const Node *node)
{
    size_t count = 0;
    for (; node; node = node->next.empty() ? nullptr : node->next[0].get())
        count++;
    return count;
}

int main()
{
    size_t sum = 0;
    std::vector<char> scratch(300000);
    for (int number = 0; number < 400; number++) {
        auto first = chain(number);
        sum += length(first.get());
        scratch[number] = static_cast<char>(sum);
    }
    std::printf("%zu\n", sum);
}
