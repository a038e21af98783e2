// The options of a fit, declared once: name, kind, default, check, one sentence. The command, the
// Python package and docs/options.md read this table, so that they cannot disagree.
//
//   FitRequest request;
//   set_option(request, "restarts", "10");           // UsageError for what it does not take
//   get_option(request, "inference")                 // "auto"
//   GeneralizedGP model = GeneralizedGP::fit(data, request.specification, request.options);
//
// A new option is a field of FitOptions or Specification with its default, and a line in
// src/model/options.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ggpm/model.hpp"
#include "ggpm/roles.hpp"

namespace ggpm {

// What a user asks of a fit.
struct FitRequest {
  Specification specification;
  FitOptions options;
  TableOptions table;  // of rows, before there are numbers
};

enum class OptionKind { flag, whole, number, text, choice, list };

struct OptionInfo {
  std::string name;  // "max_evaluations"; --max-evaluations in the command
  OptionKind kind = OptionKind::text;
  std::string group;                 // "Model", "Learning", "Rows"
  std::string value;                 // how help writes its value: "N", "EXPR", "exact|taylor|..."
  std::vector<std::string> choices;  // of OptionKind::choice; otherwise usual values, if any
  std::string help;                  // what it is, one sentence; of a flag: what it does
  std::string fallback;              // the default as text, or in words where it is no value
};

// In the order in which people read them.
std::vector<OptionInfo> fit_options();
const OptionInfo& fit_option(std::string_view name);  // UsageError with the nearest name

// Sets it from text; a flag is "true" or "false". Messages begin with `spelled`, the name as the
// reader wrote it; empty: the name itself.
void set_option(FitRequest& request,
                std::string_view name,
                std::string_view text,
                std::string_view spelled = {});
// As text that set_option takes; empty where it has no value.
std::string get_option(const FitRequest& request, std::string_view name);

}  // namespace ggpm
