// Some rows of a training set, for splits and samples.
#pragma once

#include <vector>

#include "ggpm/model.hpp"

namespace ggpm {

inline TrainingData rows_of(const TrainingData& data, const std::vector<Index>& rows) {
  TrainingData out{
      .X = data.X(rows, Eigen::all), .rows = {}, .offset = {}, .columns = data.columns};
  out.rows.reserve(rows.size());
  for (const Index i : rows) out.rows.push_back(data.rows[static_cast<std::size_t>(i)]);
  if (data.offset.size() > 0) out.offset = data.offset(rows);
  return out;
}

}  // namespace ggpm
