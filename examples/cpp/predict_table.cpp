// A model that `ggpm fit counts.csv --target n -o counts.ggpm` saved, asked about rows of a table.
//   predict_table counts.ggpm new.csv
#include <ggpm/model.hpp>
#include <ggpm/row_reader.hpp>
#include <iostream>

int main(int count, char** words) {
  if (count != 3) {
    std::cerr << "predict_table MODEL.ggpm TABLE.csv\n";
    return 2;
  }
  try {
    const ggpm::SavedModel saved = ggpm::load_model(words[1]);

    // A table that is in memory: saved.rows() finds its columns by name and centers and scales them
    // as those of the training table. Numbers of the table itself are refused:
    // saved.model.predictive({.X = ...}) throws a UsageError that says so.
    const ggpm::Table table = ggpm::read_csv(words[2]);
    const ggpm::Vector mean = saved.model.predictive(saved.rows(table)).mean();
    std::cout << "the mean of the first row is " << mean(0) << "\n";

    // A table of any length: a block of rows at a time.
    ggpm::RowReader reader(saved, words[2]);
    ggpm::Index rows = 0;
    double total = 0;
    while (const std::optional<ggpm::Dataset> block = reader.next()) {
      total += saved.model.predictive(*block).mean().sum();
      rows += block->size();
    }
    std::cout << rows << " rows, the sum of their means is " << total << "\n";
    return 0;
  } catch (const ggpm::Error& error) {  // wrong use, bad data, numerical failure: one sentence each
    std::cerr << error.what() << "\n";
    return 1;
  }
}
