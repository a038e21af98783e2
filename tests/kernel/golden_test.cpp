#include <fstream>
#include <nlohmann/json.hpp>

#include "support.hpp"
#include "support/close.hpp"
#include "support/files.hpp"

namespace ggpm::internal::kernel_tests {
namespace {

Matrix to_matrix(const nlohmann::json& rows) {
  Matrix out(rows.size(), rows.at(0).size());
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j)
      out(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].get<double>();
  return out;
}

// The oracle's hyperparameters of a tree, in the order of the expression: path -> derivative.
void ordered_paths(const nlohmann::json& node,
                   const std::string& path,
                   std::vector<std::string>& out) {
  if (node.contains("terms")) {
    for (std::size_t i = 0; i < node["terms"].size(); ++i)
      ordered_paths(node["terms"][i], path + ".terms." + std::to_string(i), out);
    return;
  }
  for (const char* name : {"variance", "offset", "lengthscale", "alpha", "period"})
    if (node.contains(name)) out.push_back(path + "." + name);
  if (node.contains("lengthscales"))
    for (std::size_t i = 0; i < node["lengthscales"].size(); ++i)
      out.push_back(path + ".lengthscales." + std::to_string(i));
}

TEST(KernelGolden, ValuesAndDerivativesAreTheOracles) {
  std::ifstream file(testing_support::golden_file("oracle/points_kernel.json"));
  const nlohmann::json golden = nlohmann::json::parse(file);
  ASSERT_GE(golden["kernels"].size(), 12u);
  for (const nlohmann::json& entry : golden["kernels"]) {
    const std::string text = entry["expression"];
    SCOPED_TRACE(text);
    const Matrix X = to_matrix(entry["X"]), Z = to_matrix(entry["Z"]);
    const Kernel kernel = Kernel::parse(text).bind(X.cols());
    EXPECT_CLOSE(cross(kernel, X, Z), to_matrix(entry["K"]), 1e-14);

    std::vector<std::string> paths;
    ordered_paths(entry["kernel"], "kernel", paths);
    ASSERT_EQ(paths.size(), kernel.parameters().size());
    ASSERT_EQ(paths.size(), entry["dK_dlog"].size());
    for (std::size_t p = 0; p < paths.size(); ++p) {
      const Matrix expected = to_matrix(entry["dK_dlog"].at(paths[p]));
      // An adjoint with a single 1 pulls back one entry of dK.
      for (Index i = 0; i < X.rows(); ++i)
        for (Index j = 0; j < Z.rows(); ++j) {
          Matrix unit = Matrix::Zero(X.rows(), Z.rows());
          unit(i, j) = 1;
          EXPECT_CLOSE(
              kernel.pull_back_cross(X, Z, unit)(static_cast<Index>(p)), expected(i, j), 1e-13)
              << paths[p] << " at (" << i << ", " << j << ")";
        }
    }
  }
}

}  // namespace
}  // namespace ggpm::internal::kernel_tests
