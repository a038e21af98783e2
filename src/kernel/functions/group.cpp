// v where two rows agree in every input that the kernel sees, 0 elsewhere: a random intercept for
// each level, without a column a level. A level that training has not seen is a group of its own.
#include <algorithm>
#include <map>

#include "kernel/expression/type.hpp"

namespace ggpm::internal::kern {
namespace {

using Codes = std::vector<Index>;

// The same number for the same level, in X and in Z.
class Levels {
 public:
  Codes codes_of(const Matrix& X) {
    Codes codes(static_cast<std::size_t>(X.rows()));
    std::vector<double> level(static_cast<std::size_t>(X.cols()));
    for (Index i = 0; i < X.rows(); ++i) {
      for (Index j = 0; j < X.cols(); ++j) level[static_cast<std::size_t>(j)] = X(i, j);
      codes[static_cast<std::size_t>(i)] =
          known_.try_emplace(level, static_cast<Index>(known_.size())).first->second;
    }
    return codes;
  }

 private:
  std::map<std::vector<double>, Index> known_;
};

class GroupTiles final : public Tiles {
 public:
  GroupTiles(const Numbers& numbers, const Inputs& inputs) : variance_(numbers.scalar(0)) {
    Levels levels;
    x_ = levels.codes_of(inputs.X);
    z_ = &inputs.X == &inputs.Z ? x_ : levels.codes_of(inputs.Z);
  }

  const Tile& evaluate(const Block& block) override {
    K_.reshape(block);
    for (Index j = 0; j < block.cols; ++j) {
      const Index level = z_[static_cast<std::size_t>(block.col + j)];
      const Index* const x = x_.data() + block.row;
      double* const out = K_.data() + j * block.rows;
      for (Index i = 0; i < block.rows; ++i) out[i] = x[i] == level ? variance_ : 0;
    }
    return K_;
  }
  void pull_back(const Tile& Kbar) override { gradient_ += (Kbar.array() * K_.array()).sum(); }
  void append_gradient(std::vector<double>& gradient) const override {
    gradient.push_back(gradient_);
  }

 private:
  const double variance_;
  double gradient_ = 0;
  Codes x_, z_;
  Tile K_;
};

std::unique_ptr<Tiles> make_group(const Numbers& numbers, const Inputs& inputs) {
  return std::make_unique<GroupTiles>(numbers, inputs);
}

constexpr ParameterSpec kGroupParameters[] = {kVariance};

}  // namespace

constinit const KernelType kGroup = {.name = "group",
                                     .formula = "v where x = z, 0 elsewhere",
                                     .parameters = kGroupParameters,
                                     .tiles = make_group};

}  // namespace ggpm::internal::kern
