// Messages on the heap that don't outlive their turn.
#include <cstdio>
#include <memory>

struct Message {
    int kind;
    long words[6];
    virtual ~Message() = default;
};

static const Message *latest;

__attribute__((noinline)) static long handle(const Message &message)
{
    latest = &message;
    return message.kind + message.words[2];
}

int main()
{
    long all = 0;
    for (int i = 0; i < 20000; i++) {
        auto message = std::make_unique<Message>(); // here: temporary-objects
        message->kind = i;
        message->words[2] = i / 2;
        all += handle(*message);
    }
    std::printf("%ld\n", all);
}
