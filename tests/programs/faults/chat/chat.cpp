// Messages between people, who come and go.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

struct Message
{
    int from;
    std::string text;
};

class Inbox
{
  public:
    void put(int from, std::string text) { messages_.push_back({from, std::move(text)}); }
    size_t size() const { return messages_.size(); }

  private:
    std::vector<Message> messages_;
};

class Room
{
  public:
    void enter(int person) { present_[person] = true; }
    void leave(int person) { present_.erase(person); } // their inbox stays
    void say(int from, const std::string &text)
    {
        for (const auto &[person, is_here] : present_)
            if (is_here && person != from)
                inboxes_[person].put(from, text + " (heard by " + std::to_string(person) + ")");
    }
    size_t waiting() const
    {
        size_t sum = 0;
        for (const auto &[person, inbox] : inboxes_)
            sum += inbox.size();
        return sum;
    }

  private:
    std::map<int, bool> present_;
    std::map<int, Inbox> inboxes_;
};

int main()
{
    Room room;
    for (int person = 0; person < 2000; person++) {
        room.enter(person);
        if (person >= 5)
            room.leave(person - 5);
        room.say(person, "hello to all of you, I have just come in");
    }
    printf("%zu\n", room.waiting());
}
