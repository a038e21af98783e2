#include "experiments/kept.hpp"

#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ggpm/types.hpp"

namespace ggpm::paper {
namespace {

using Json = nlohmann::json;

double processor_clock() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
double number_of(const Json& value) { return value.is_null() ? std::nan("") : value.get<double>(); }

KeptPiece read_piece(const Json& line) {
  KeptPiece out{.text = line.value("text", ""),
                .processor_seconds = number_of(line.at("processor_seconds"))};
  for (const Json& value : line.at("values")) out.values.push_back(number_of(value));
  return out;
}

}  // namespace

Kept::Kept(std::string path) : path_(std::move(path)) {
  std::ifstream in(path_);
  std::string text;
  std::uintmax_t whole = 0;
  while (std::getline(in, text) && !in.eof()) {
    try {
      const Json line = Json::parse(text);
      pieces_[line.at("key").get<std::string>()] = read_piece(line);
    } catch (const std::exception&) {
      throw DataError(path_ + ": is not a file that ggpm reproduce has kept; give another folder");
    }
    whole += text.size() + 1;
  }
  in.close();
  if (std::filesystem::exists(path_) && std::filesystem::file_size(path_) > whole)
    std::filesystem::resize_file(path_, whole);
  reset_clock();
}

std::optional<KeptPiece> Kept::find(const std::string& key) {
  const auto found = pieces_.find(key);
  if (found == pieces_.end()) return {};
  if (!std::exchange(counted_[key], true)) spent_before_ += found->second.processor_seconds;
  return found->second;
}

void Kept::add(const std::string& key, KeptPiece piece) {
  piece.processor_seconds = processor_clock() - clock_;
  reset_clock();
  counted_[key] = true;  // the clock of this run has it
  if (!path_.empty()) {
    Json line = {{"key", key}, {"processor_seconds", piece.processor_seconds}};
    if (!piece.text.empty()) line["text"] = piece.text;
    line["values"] = Json::array();
    for (const double value : piece.values) line["values"].push_back(number(value));
    std::ofstream out(path_, std::ios::app);
    if (!(out << line.dump() << '\n' << std::flush)) throw DataError(path_ + ": cannot be written");
  }
  pieces_[key] = std::move(piece);
}

void Kept::reset_clock() { clock_ = processor_clock(); }

KeptPiece piece_of(const Trial& trial) {
  KeptPiece out{.text = trial.failure};
  const Scores& s = trial.scores;
  out.values = {s.mae, s.mse, s.nlp, s.coverage, s.width, trial.log_marginal, trial.seconds};
  for (const PointErrors& errors : s.of) out.values.push_back(errors.mae);
  return out;
}

Trial trial_of(const KeptPiece& piece, const std::string& candidate, Index split) {
  Trial out{.candidate = candidate, .split = split};
  out.failure = piece.text;
  const std::vector<double>& v = piece.values;
  out.scores = {
      .mae = v.at(0), .mse = v.at(1), .nlp = v.at(2), .coverage = v.at(3), .width = v.at(4)};
  out.log_marginal = v.at(5);
  out.seconds = v.at(6);
  for (std::size_t k = 0; k < kPointEstimates; ++k) out.scores.of[k].mae = v.at(7 + k);
  return out;
}

}  // namespace ggpm::paper
