// How long does it take to read a table? Reported as bytes of the file a second.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "ggpm/atomic_file.hpp"
#include "ggpm/data.hpp"

namespace {

// Rows of 20 numbers of about 9 characters: measurements, not full doubles.
std::string numbers_csv(ggpm::Index rows) {
  constexpr int kColumns = 20;
  std::mt19937_64 random(1);
  std::uniform_int_distribution<int> thousandths(-9'999'999, 9'999'999);
  std::string text;
  std::vector<std::string> names;
  for (int j = 0; j < kColumns; ++j) names.push_back("x" + std::to_string(j));
  ggpm::append_csv_row(text, names);
  std::vector<double> row(kColumns);
  for (ggpm::Index i = 0; i < rows; ++i) {
    for (double& cell : row) cell = thousandths(random) / 1e3;
    ggpm::append_csv_row(text, row);
  }
  return text;
}

void read_whole_table(benchmark::State& state) {
  const std::string text = numbers_csv(state.range(0));
  const std::string path = "/tmp/ggpm-bench-" + std::to_string(getpid()) + ".csv";
  ggpm::write_file_atomically(path, text);
  for (auto _ : state) benchmark::DoNotOptimize(ggpm::read_csv(path));
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
  state.SetItemsProcessed(state.range(0) * state.iterations());
  unlink(path.c_str());
}
BENCHMARK(read_whole_table)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void read_in_blocks(benchmark::State& state) {
  const std::string text = numbers_csv(state.range(0));
  const std::string path = "/tmp/ggpm-bench-" + std::to_string(getpid()) + ".csv";
  ggpm::write_file_atomically(path, text);
  for (auto _ : state) {
    ggpm::CsvReader reader(path);
    while (auto block = reader.next(4096)) benchmark::DoNotOptimize(block);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
  state.SetItemsProcessed(state.range(0) * state.iterations());
  unlink(path.c_str());
}
BENCHMARK(read_in_blocks)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void write_table(benchmark::State& state) {
  const ggpm::Table table = ggpm::parse_csv(numbers_csv(state.range(0)), "bench");
  std::int64_t bytes = 0;
  for (auto _ : state) bytes += static_cast<std::int64_t>(ggpm::to_csv(table).size());
  state.SetBytesProcessed(bytes);
}
BENCHMARK(write_table)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
