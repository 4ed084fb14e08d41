// Tests of GoogleTest with limits (heaptap/gtest.h).
#include <heaptap/gtest.h>

#include <memory>
#include <vector>

static std::vector<int> *kept;

class Filled : public ::testing::Test
{
  protected:
    std::vector<char> bytes = std::vector<char>(50000);
};

TEST_F(Filled, Peak)
{
    heaptap_test_limit("peak <= 40 kB");
    EXPECT_EQ(bytes.size(), 50000u);
}

TEST(Vectors, Leaks)
{
    heaptap_test_limit("live-at-end <= 0");
    kept = new std::vector<int>(1000);
}

TEST(Vectors, Fine)
{
    heaptap_test_limit("live-at-end <= 0; peak <= 5 kB");
    std::vector<int> numbers(1000);
    EXPECT_EQ(numbers[999], 0);
}
