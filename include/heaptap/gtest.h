/* Limits on the memory of GoogleTest's tests: every test becomes one of heaptap's (heaptap/test.h).
 *
 *     #include <heaptap/gtest.h>
 *
 *     TEST(Parser, LargeFile)
 *     {
 *         heaptap_test_limit("peak <= 20 MB; live-at-end <= 0");
 *         ...
 *     }
 *
 * Include this in one file or in several: the listener is added once, before main, so that libgtest_main does. */
#ifndef HEAPTAP_GTEST_H
#define HEAPTAP_GTEST_H

#include <gtest/gtest.h>

#include <string>

#include "heaptap/test.h"

namespace heaptap
{

/* Begins and ends heaptap's tests with GoogleTest's.  What the fixture allocates counts; what is left is counted after the
 * fixture has been destroyed. */
class TestListener : public ::testing::EmptyTestEventListener
{
  public:
    void OnTestStart(const ::testing::TestInfo &info) override
    {
        const std::string name = std::string(info.test_suite_name()) + "." + info.name();
        heaptap_test_begin(name.c_str(), "");
    }

    void OnTestEnd(const ::testing::TestInfo &) override
    {
        heaptap_test_end();
    }
};

/* Adds the listener; once, however many files include this. */
inline bool AddTestListener()
{
    static const bool added =
        (::testing::UnitTest::GetInstance()->listeners().Append(new TestListener), true);
    return added;
}

/* One for each file; it only makes sure that the listener is there. */
static const bool test_listener_is_added = AddTestListener();

} // namespace heaptap

#endif
