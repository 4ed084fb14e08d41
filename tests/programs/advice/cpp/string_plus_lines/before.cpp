// Lines that are put together of cells, each cell by two `+`, and begin anew.
#include <cstdio>
#include <string>

int main()
{
    size_t bytes = 0;
    for (int row = 0; row < 200; row++) {
        std::string line = "row " + std::to_string(row);
        for (int cell = 0; cell < 50; cell++)
            line = line + "," + std::to_string(row * cell + 100000); // here: string-plus
        bytes += line.size();
    }
    std::printf("%zu\n", bytes);
}
