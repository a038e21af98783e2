#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ggpm/kernel.hpp"
#include "ggpm/likelihood.hpp"
#include "support/command.hpp"

namespace ggpm {
namespace {

using nlohmann::json;
using testing_support::run_command;

TEST(Tables, ListEveryLikelihoodThatCanBeMade) {
  const json table = json::parse(run_command({"likelihoods", "--json"}).out);
  const std::string text = run_command({"likelihoods"}).out;
  ASSERT_EQ(table.size(), likelihood_table().size() + 1);  // and softmax, of several latents
  for (const json& entry : table) {
    EXPECT_THAT(text, testing::HasSubstr("\n  log p       " + entry["formula"].get<std::string>()));
    for (const json& link : entry["links"])
      EXPECT_NO_THROW(make_likelihood(entry["name"].get<std::string>(), link.get<std::string>()));
  }
}

TEST(Tables, ListEveryKernelThatCanBeParsed) {
  const json table = json::parse(run_command({"kernels", "--json"}).out);
  const std::string text = run_command({"kernels"}).out;
  ASSERT_EQ(table.size(), kernel_table().size());
  for (const json& entry : table) {
    EXPECT_NO_THROW(Kernel::parse(entry["name"].get<std::string>()));
    EXPECT_THAT(text, testing::HasSubstr(entry["formula"].get<std::string>()));
  }
}

}  // namespace
}  // namespace ggpm
