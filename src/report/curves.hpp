// Pictures of what the model predicts along its inputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/subject.hpp"

namespace ggpm::internal::report {

// Predictive mean and 50, 80, 95 % bands along one input, with the training data where the model
// has no other input; of two classes and of trials the probability and how sure the model is of it;
// of ordered levels the probability of each.
bool shows_probability(const Subject& subject);
Chart fit_chart(const Subject& subject, const Input& input);

// The latent function along one input, with its own bands.
Chart latent_chart(const Subject& subject, const Input& input);

// Counts: the probability of each, along one input (fig. 1 of the paper).
Chart probability_map(const Subject& subject, const Input& input);

// What an input does on average: the response averaged over training rows that are moved to each
// place, with bands that say how sure the model is of that average.
struct InputEffect {
  const Input* input = nullptr;
  Chart chart;
  double size = 0;  // highest minus lowest of the average response
};
InputEffect partial_dependence(const Subject& subject, const Input& input);

// The inputs by their effects, and by the length-scales of an ARD kernel if there is one.
Chart effect_chart(const Subject& subject, const std::vector<InputEffect>& effects);
std::optional<Chart> relevance_chart(const Subject& subject);

}  // namespace ggpm::internal::report
