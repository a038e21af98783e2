// Longitude and latitude as what they are: places on a sphere.
//
//   rbf(lengthscale=500, columns=[lon, lat], metric=sphere)      500 km
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ggpm {

// Of the Earth, in kilometers: length-scales of kernels on the sphere are in these.
inline constexpr double kEarthRadius = 6371.0088;

// The columns that kernels on the sphere of an expression name: they need degrees as they are.
std::vector<std::string> sphere_columns(std::string_view kernel);

}  // namespace ggpm
