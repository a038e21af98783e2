#include "experiments/crowd_table.hpp"

namespace ggpm::paper {
namespace {

using enum InferenceMethod;

constexpr PrintedCrowdRow kLeft[] = {
    {"gaussian", exact, 0.85, 1.83, {0.88, 0.022}, {1.69, 0.055}},
    {"poisson", taylor, 1.03, 2.20, {1.04, 0.023}, {2.19, 0.036}},
    {"poisson", laplace, 1.03, 2.20, {1.02, 0.019}, {2.19, 0.030}},
    {"poisson", ep, 1.03, 2.20, {1.02, 0.018}, {2.19, 0.030}},
    {"linear-poisson", taylor, 0.88, 2.18, {0.95, 0.024}, {2.17, 0.027}},
    {"linear-poisson", laplace, 0.87, 2.18, {0.93, 0.019}, {2.17, 0.019}},
    {"linear-poisson", ep, 0.87, 2.18, {0.93, 0.018}, {2.17, 0.019}},
    {"com-poisson", taylor, 0.94, 1.76, {0.96, 0.038}, {1.83, 0.055}},
    {"com-poisson", laplace, 0.94, 1.77, {0.95, 0.021}, {1.81, 0.047}},
    {"com-poisson", ep, 0.94, 1.76, {0.92, 0.016}, {1.75, 0.051}},
    {"linear-com-poisson", taylor, 0.91, 1.63, {0.92, 0.045}, {1.68, 0.052}},
    {"linear-com-poisson", laplace, 0.85, 1.52, {0.86, 0.023}, {1.65, 0.043}},
    {"linear-com-poisson", ep, 0.83, 1.55, {0.86, 0.027}, {1.62, 0.049}}};

constexpr PrintedCrowdRow kRight[] = {
    {"gaussian", exact, 1.56, 2.94, {1.56, 0.027}, {2.56, 0.059}},
    {"poisson", taylor, 1.25, 2.33, {1.31, 0.038}, {2.34, 0.038}},
    {"poisson", laplace, 1.27, 2.33, {1.33, 0.033}, {2.34, 0.038}},
    {"poisson", ep, 1.27, 2.33, {1.33, 0.034}, {2.34, 0.038}},
    {"linear-poisson", taylor, 1.36, 2.34, {1.46, 0.036}, {2.35, 0.034}},
    {"linear-poisson", laplace, 1.36, 2.34, {1.43, 0.030}, {2.35, 0.035}},
    {"linear-poisson", ep, 1.37, 2.34, {1.42, 0.032}, {2.35, 0.035}},
    {"com-poisson", taylor, 1.39, 2.50, {1.54, 0.076}, {2.61, 0.106}},
    {"com-poisson", laplace, 1.39, 2.54, {1.55, 0.098}, {2.22, 0.069}},
    {"com-poisson", ep, 1.43, 2.54, {1.40, 0.033}, {2.20, 0.057}},
    {"linear-com-poisson", taylor, 1.48, 2.50, {1.50, 0.046}, {2.43, 0.079}},
    {"linear-com-poisson", laplace, 1.49, 2.51, {1.58, 0.037}, {2.43, 0.072}},
    {"linear-com-poisson", ep, 1.49, 2.52, {1.54, 0.048}, {2.35, 0.034}}};

const std::vector<std::string> kNames = {"PO", "L-PO", "COM", "L-COM"};

constexpr RankedScore kNlp = RankedScore::nlp, kMae = RankedScore::mae;
const PrintedCrowdPair kLeftPairs[] = {{kNlp, 0, 1, 2.000, 0.0000},
                                       {kNlp, 2, 3, 2.000, 0.0000},
                                       {kNlp, 1, 3, 2.000, 0.0000},
                                       {kMae, 0, 1, 2.000, 0.0000},
                                       {kMae, 2, 3, 2.000, 0.0000},
                                       {kMae, 1, 3, 1.944, 0.0000}};
const PrintedCrowdPair kRightPairs[] = {{kNlp, 0, 1, 1.000, 0.0000},
                                        {kNlp, 2, 3, 1.333, 0.0555},
                                        {kNlp, 1, 3, 1.121, 0.0000},
                                        {kMae, 0, 1, 1.000, 0.0000},
                                        {kMae, 2, 3, 1.394, 0.2230},
                                        {kMae, 1, 3, 1.061, 0.0000}};

}  // namespace

std::span<const PrintedCrowd> printed_crowds() {
  static const PrintedCrowd all[] = {{"left",
                                      "ucsd_left.csv",
                                      kLeft,
                                      {kNames, {4.000, 3.000, 2.000, 1.000}, 0.0000},
                                      {kNames, {3.933, 2.333, 2.656, 1.078}, 0.0000},
                                      kLeftPairs},
                                     {"right",
                                      "ucsd_right.csv",
                                      kRight,
                                      {kNames, {1.758, 2.788, 2.030, 3.424}, 0.0000},
                                      {kNames, {1.061, 2.333, 3.061, 3.545}, 0.0000},
                                      kRightPairs}};
  return all;
}

}  // namespace ggpm::paper
