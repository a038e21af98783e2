// Longitude and latitude as places on a sphere.
#include "ggpm/sphere.hpp"

#include <Eigen/Eigenvalues>

#include "support.hpp"
#include "support/close.hpp"

namespace ggpm::internal::kernel_tests {
namespace {

Matrix random_places(Random& random, Index rows) {
  Matrix out(rows, 2);
  for (Index i = 0; i < rows; ++i)
    out.row(i) << random.uniform(-180, 180),
        std::asin(random.uniform(-1, 1)) * 180 / std::numbers::pi;
  return out;
}

Kernel on_sphere(const std::string& name, const std::string& more = "") {
  return Kernel::parse(name + "(variance=1.4, lengthscale=2500" + more +
                       ", columns=[1, 2], metric=sphere)")
      .bind(2);
}

double chord(const Vector& a, const Vector& b) {
  const double radians = std::numbers::pi / 180;
  const double u = std::sin((b[1] - a[1]) / 2 * radians), v = std::sin((b[0] - a[0]) / 2 * radians);
  const double h = u * u + std::cos(a[1] * radians) * std::cos(b[1] * radians) * v * v;
  return 2 * kEarthRadius * std::sqrt(h);
}

TEST(Sphere, IsTheKernelOfTheChordInKilometers) {
  Random random(3);
  const Matrix X = random_places(random, 30);
  const Matrix K = gram(on_sphere("rbf"), X);
  for (Index i = 0; i < 30; ++i)
    for (Index j = 0; j < 30; ++j) {
      const double r = chord(X.row(i), X.row(j)) / 2500;
      EXPECT_NEAR(K(i, j), 1.4 * std::exp(-r * r / 2), 1e-12);
    }
}

TEST(Sphere, KnowsNoDateLineAndNoLongitudeAtThePole) {
  Matrix X(4, 2);
  X << 179.9, 10, -179.9, 10, 30, 90, -120, 90;
  const Matrix K = gram(on_sphere("matern32"), X);
  EXPECT_GT(K(0, 1), 1.39);  // 22 km
  EXPECT_NEAR(K(2, 3), 1.4, 1e-12);
}

// Those of great-circle distances are not definite: the chord is what makes it so.
TEST(Sphere, EveryStationaryKernelIsPositiveDefinite) {
  Random random(5);
  const Matrix X = random_places(random, 120);
  for (const char* name : {"rbf", "matern12", "matern32", "matern52", "rq"}) {
    const Matrix K = gram(on_sphere(name), X);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(K).eigenvalues()[0], -1e-12) << name;
  }
}

TEST(Sphere, GradientsAreThoseOfDifferences) {
  Random random(7);
  SCOPED_TRACE(random.trace());
  const Matrix X = random_places(random, 25), Kbar = random.symmetric(25);
  for (const char* name : {"rbf", "matern12", "matern32", "matern52", "rq"}) {
    const Kernel kernel = on_sphere(name);
    const Vector gradient = kernel.pull_back(X, Kbar);
    const std::vector<Parameter> parameters = kernel.parameters();
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const auto moved = [&](double by) {
        std::vector<double> values;
        for (const Parameter& p : parameters) values.push_back(p.value);
        values[k] *= std::exp(by);
        return gram(kernel.with_values(values), X).cwiseProduct(Kbar).sum();
      };
      EXPECT_NEAR(gradient[static_cast<Index>(k)], (moved(1e-5) - moved(-1e-5)) / 2e-5, 1e-5)
          << name << " " << parameters[k].name;
    }
  }
}

TEST(Sphere, TextIsReadAsItWasWritten) {
  const std::vector<std::string> names = {"age", "lon", "lat"};
  const std::string text = "rbf(columns=[lon, lat], metric=sphere) * linear(columns=[age])";
  EXPECT_EQ(sphere_columns(text), (std::vector<std::string>{"lon", "lat"}));
  EXPECT_TRUE(sphere_columns("rbf(columns=[lon, lat], metric=euclidean)").empty());
  const Kernel bound = Kernel::parse(text).bind(3, names);
  EXPECT_EQ(Kernel::parse(bound.text()).bind(3, names).text(), bound.text());
  EXPECT_NEAR(bound.parameters()[1].value, 111.195, 1e-3);  // a degree, where nothing is given
}

TEST(Sphere, RefusesOtherColumnsAndKernels) {
  for (const char* text : {"rbf(metric=sphere)",
                           "rbf(columns=[1], metric=sphere)",
                           "rbf(columns=[1, 2], metric=sphere, ard=true)",
                           "rbf(lengthscale=[1, 2], columns=[1, 2], metric=sphere)",
                           "rbf(columns=[1, 2], metric=flat)",
                           "linear(columns=[1, 2], metric=sphere)",
                           "periodic(columns=[1, 2], metric=sphere)"})
    EXPECT_THROW(Kernel::parse(text), UsageError) << text;
  Matrix X(2, 2);
  X << 0, 95, 0, 1;
  EXPECT_THROW(gram(on_sphere("rbf"), X), UsageError);
}

}  // namespace
}  // namespace ggpm::internal::kernel_tests
