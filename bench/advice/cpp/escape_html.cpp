// Text escaped character by character.
#include <cstdio>
#include <string>

static std::string escape(const std::string &text)
{
    std::string out;
    for (char c : text)
        if (c == '<')
            out += "&lt;"; // here: string-growth
        else
            out.push_back(c); // here: string-growth
    return out;
}

int main()
{
    std::string text(3000, 'x');
    text[100] = text[2000] = '<';
    size_t all = 0;
    for (int i = 0; i < 50; i++)
        all += escape(text).size();
    std::printf("%zu\n", all);
}
