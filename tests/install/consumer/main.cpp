#include <ggpm/data.hpp>
#include <ggpm/version.hpp>
#include <iostream>

int main() {
  const ggpm::Table table = ggpm::parse_csv("x,n\n1,3\n2,0\n", "consumer");
  const ggpm::Matrix X = ggpm::Design::learn(table, {.exclude = {"n"}}).apply(table);
  std::cout << "ggpm " << ggpm::version() << ": "
            << ggpm::recognize_domain(ggpm::numeric_column(table, "n")).reason << "\n";
  return X.rows() == 2 && X(0, 0) == -1 && X(1, 0) == 1 ? 0 : 1;
}
