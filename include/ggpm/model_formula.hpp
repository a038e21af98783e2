// A model in one line, for people who think in models:
//
//   parse_model_formula("deaths ~ rbf(lon, lat) + group(district) + offset(log(expected))")
//   // {.target = "deaths", .kernel = "rbf(columns=[lon, lat]) + group(columns=[district]) + constant",
//   //  .inputs = {"lon", "lat", "district"}, .exposure = "expected"}
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ggpm {

struct ModelFormula {
  std::string target, kernel;
  std::vector<std::string> inputs = {};  // the columns that are named; empty: all others
  std::string offset = {}, exposure = {};
};

// On the left the target, on the right a sum of kernels that name their columns, rbf(lon, lat), with
// settings as everywhere, rbf(lon, lat, ard=true), and products of them. Every formula has an
// intercept, 1, a constant that is integrated out, unless 0 is a term. offset(a) adds the column a to
// the latent function, offset(log(a)) and exposure(a) multiply the mean by it. A name that is not a
// plain word is in quotes. UsageError says what is wrong.
ModelFormula parse_model_formula(std::string_view text);

}  // namespace ggpm
