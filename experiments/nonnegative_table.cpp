#include "experiments/nonnegative_table.hpp"

namespace ggpm::paper {
namespace {

using enum InferenceMethod;

// Abbreviations of the paper: GP, LGP, WGP, GA_sh, GA_sc, INV.
const PrintedModel kGp{"GP", "gaussian", "", exact};
const PrintedModel kLgp{"LGP", "gaussian", "log", exact};
const PrintedModel kWgp{"WGP", "gaussian", "tanh:3", exact};
PrintedModel shape(InferenceMethod m) { return {"GA_sh", "gamma-shape", "", m}; }
PrintedModel scale(InferenceMethod m) { return {"GA_sc", "gamma-scale", "", m}; }
PrintedModel inverse(InferenceMethod m) { return {"INV", "inverse-gaussian", "", m}; }

const std::vector<std::string> kHousingInputs = {
    "crim", "zn", "indus", "nox", "rm", "age", "dis", "rad", "tax", "ptratio", "b", "lstat"};
const std::vector<std::string> kMpgInputs = {
    "cylinders", "displacement", "horsepower", "weight", "acceleration", "model_year", "origin"};

}  // namespace

// tab:nnrnInfo and tab:abalone: mean and sd of MAE, MSE, NLP over ten trials.
const std::vector<PrintedDataset>& nonnegative_datasets() {
  static const std::vector<PrintedDataset> all = {
      {"servo",
       "servo.csv",
       "rise_time",
       {},
       70,
       {{kGp, {0.43, 0.047}, {0.33, 0.058}, {1.06, 0.033}},
        {kLgp, {0.27, 0.035}, {0.18, 0.042}, {0.32, 0.044}},
        {kWgp, {0.25, 0.031}, {0.18, 0.043}, {0.13, 0.113}},
        {shape(taylor), {0.26, 0.035}, {0.20, 0.048}, {0.11, 0.084}},
        {shape(laplace), {0.27, 0.037}, {0.20, 0.047}, {0.09, 0.072}},
        {shape(ep), {0.27, 0.037}, {0.20, 0.048}, {0.09, 0.070}},
        {shape(kld), {0.27, 0.037}, {0.20, 0.048}, {0.09, 0.071}},
        {scale(taylor), {0.28, 0.024}, {0.21, 0.041}, {0.19, 0.040}},
        {scale(laplace), {0.26, 0.023}, {0.19, 0.033}, {0.18, 0.043}},
        {scale(ep), {0.25, 0.023}, {0.18, 0.036}, {0.17, 0.048}},
        {scale(kld), {0.25, 0.024}, {0.18, 0.036}, {0.17, 0.048}},
        {inverse(taylor), {0.33, 0.045}, {0.34, 0.123}, {0.41, 0.141}},
        {inverse(laplace), {0.35, 0.046}, {0.41, 0.139}, {0.41, 0.155}},
        {inverse(ep), {0.37, 0.050}, {0.45, 0.139}, {0.38, 0.146}},
        {inverse(kld), {0.37, 0.051}, {0.45, 0.147}, {0.40, 0.150}}}},
      {"auto-mpg",
       "auto_mpg.csv",
       "mpg",
       kMpgInputs,
       100,
       {{kGp, {2.11, 0.053}, {8.69, 0.349}, {2.48, 0.038}},
        {kLgp, {2.10, 0.090}, {8.71, 0.655}, {2.36, 0.044}},
        {kWgp, {2.08, 0.061}, {8.45, 0.672}, {2.39, 0.055}},
        {shape(taylor), {2.09, 0.072}, {8.71, 0.540}, {2.36, 0.043}},
        {shape(laplace), {2.09, 0.073}, {8.64, 0.506}, {2.36, 0.040}},
        {shape(ep), {2.09, 0.074}, {8.65, 0.503}, {2.36, 0.040}},
        {shape(kld), {2.09, 0.075}, {8.66, 0.498}, {2.36, 0.041}},
        {scale(taylor), {2.10, 0.076}, {8.73, 0.536}, {2.40, 0.036}},
        {scale(laplace), {2.09, 0.064}, {8.74, 0.496}, {2.40, 0.035}},
        {scale(ep), {2.09, 0.064}, {8.75, 0.503}, {2.40, 0.036}},
        {scale(kld), {2.09, 0.065}, {8.74, 0.495}, {2.40, 0.036}},
        {inverse(taylor), {2.11, 0.092}, {8.88, 0.890}, {2.39, 0.055}},
        {inverse(laplace), {2.08, 0.071}, {8.58, 0.624}, {2.36, 0.043}},
        {inverse(ep), {2.08, 0.069}, {8.59, 0.589}, {2.36, 0.041}},
        {inverse(kld), {2.08, 0.065}, {8.59, 0.567}, {2.36, 0.042}}}},
      {"housing",
       "housing.csv",
       "medv",
       kHousingInputs,
       200,
       {{kGp, {2.40, 0.136}, {11.27, 1.716}, {2.60, 0.047}},
        {kLgp, {2.22, 0.141}, {10.39, 1.858}, {2.57, 0.040}},
        {kWgp, {2.22, 0.138}, {10.24, 1.386}, {2.54, 0.191}},
        {shape(taylor), {2.21, 0.140}, {10.46, 1.841}, {2.59, 0.044}},
        {shape(laplace), {2.21, 0.144}, {10.41, 1.885}, {2.58, 0.041}},
        {shape(ep), {2.22, 0.146}, {10.46, 1.897}, {2.58, 0.040}},
        {shape(kld), {2.22, 0.146}, {10.46, 1.891}, {2.58, 0.040}},
        {scale(taylor), {2.23, 0.159}, {10.27, 2.282}, {2.52, 0.038}},
        {scale(laplace), {2.23, 0.146}, {10.35, 2.104}, {2.52, 0.036}},
        {scale(ep), {2.22, 0.141}, {10.30, 2.046}, {2.52, 0.037}},
        {scale(kld), {2.22, 0.142}, {10.29, 2.071}, {2.52, 0.038}},
        {inverse(taylor), {2.27, 0.156}, {11.26, 2.080}, {2.75, 0.069}},
        {inverse(laplace), {2.28, 0.163}, {11.05, 2.073}, {2.72, 0.064}},
        {inverse(ep), {2.32, 0.171}, {11.39, 2.172}, {2.71, 0.059}},
        {inverse(kld), {2.32, 0.170}, {11.36, 2.149}, {2.71, 0.059}}}},
      {"abalone",
       "abalone.csv",
       "rings",
       {},
       1000,
       {{kGp, {1.60, 0.029}, {4.66, 0.232}, {2.19, 0.012}},
        {kLgp, {1.47, 0.016}, {4.12, 0.125}, {2.00, 0.009}},
        {kWgp, {1.52, 0.024}, {4.36, 0.169}, {1.94, 0.010}},
        {shape(taylor), {1.49, 0.021}, {4.26, 0.238}, {1.99, 0.007}},
        {shape(laplace), {1.55, 0.022}, {4.55, 0.232}, {2.01, 0.007}},
        {shape(ep), {1.55, 0.022}, {4.57, 0.237}, {2.01, 0.007}},
        {shape(kld), {1.55, 0.022}, {4.53, 0.185}, {2.01, 0.007}},
        {scale(taylor), {1.67, 0.023}, {5.10, 0.173}, {2.12, 0.012}},
        {scale(laplace), {1.53, 0.024}, {4.41, 0.268}, {2.06, 0.010}},
        {scale(ep), {1.53, 0.025}, {4.39, 0.274}, {2.06, 0.010}},
        {scale(kld), {1.53, 0.025}, {4.35, 0.300}, {2.05, 0.010}},
        {inverse(taylor), {1.42, 0.022}, {4.11, 0.354}, {1.99, 0.014}},
        {inverse(laplace), {1.54, 0.024}, {4.73, 0.440}, {1.98, 0.008}},
        {inverse(ep), {1.55, 0.025}, {4.78, 0.449}, {1.99, 0.008}},
        {inverse(kld), {1.56, 0.019}, {5.04, 0.576}, {1.99, 0.007}}}}};
  return all;
}

}  // namespace ggpm::paper
