#include "ggpm/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "text/text.hpp"

namespace ggpm {

using namespace internal;

namespace {

// What was given, and its name as the reader wrote it.
struct Given {
  std::string_view name, text;
};

struct Option {
  OptionInfo info;
  std::function<void(FitRequest&, const Given&)> set;
  std::function<std::string(const FitRequest&)> get;

  // Only where the default has no value.
  Option&& otherwise(std::string words) && {
    info.fallback = std::move(words);
    return std::move(*this);
  }
  Option&& usually(std::vector<std::string> values) && {
    info.value = fmt::format("{}", fmt::join(values, "|"));
    info.choices = std::move(values);
    return std::move(*this);
  }
};

// ---- Where values are: field(&FitRequest::options, &FitOptions::keep)

template <class... Members>
auto field(Members... members) {
  return [members...](auto& request) -> auto& { return (request.*....*members); };
}

// ---- Kinds of options

template <class Field>
Option flag(const char* name, Field at, const char* help) {
  return {{.name = name, .kind = OptionKind::flag, .help = help},
          [at](FitRequest& r, const Given& g) { at(r) = parse_flag_option(g.name, g.text); },
          [at](const FitRequest& r) { return std::string(at(r) ? "true" : "false"); }};
}

template <class Field>
Option whole(
    const char* name, Field at, std::int64_t lowest, std::int64_t highest, const char* help) {
  return {{.name = name, .kind = OptionKind::whole, .value = "N", .help = help},
          [=](FitRequest& r, const Given& g) {
            using Value = std::remove_reference_t<decltype(at(r))>;
            at(r) = static_cast<Value>(parse_whole_option(g.name, g.text, lowest, highest));
          },
          [at](const FitRequest& r) { return std::to_string(at(r)); }};
}

template <class Field>
Option positive(const char* name, const char* value, Field at, const char* help) {
  return {{.name = name, .kind = OptionKind::number, .value = value, .help = help},
          [at](FitRequest& r, const Given& g) { at(r) = parse_positive_option(g.name, g.text); },
          [at](const FitRequest& r) { return at(r) > 0 ? format_number(at(r)) : ""; }};
}

template <class Field>
Option text_option(const char* name, const char* value, Field at, const char* help) {
  return {{.name = name, .value = value, .help = help},
          [at](FitRequest& r, const Given& g) { at(r) = g.text; },
          [at](const FitRequest& r) { return at(r); }};
}

// One of an enumeration, whose values are counted from 0.
template <class Field>
Option choice(const char* name, Field at, std::vector<std::string> choices, const char* help) {
  return {{.name = name,
           .kind = OptionKind::choice,
           .value = fmt::format("{}", fmt::join(choices, "|")),
           .choices = choices,
           .help = help},
          [=](FitRequest& r, const Given& g) {
            using Value = std::remove_reference_t<decltype(at(r))>;
            parse_choice_option(g.name, g.text, choices);
            const auto found = std::find(choices.begin(), choices.end(), g.text);
            at(r) = static_cast<Value>(found - choices.begin());
          },
          [=](const FitRequest& r) { return choices[static_cast<std::size_t>(at(r))]; }};
}

// One of the names of a table.
template <class Field>
Option name_of(const char* name, Field at, std::vector<std::string> choices, const char* help) {
  return {
      {.name = name,
       .kind = OptionKind::choice,
       .value = fmt::format("{}", fmt::join(choices, "|")),
       .choices = choices,
       .help = help},
      [=](FitRequest& r, const Given& g) { at(r) = parse_choice_option(g.name, g.text, choices); },
      [at](const FitRequest& r) { return at(r); }};
}

// ---- Options that are more than a value

Option inference() {
  std::vector<std::string> choices = {"auto"};
  for (const InferenceInfo& info : inference_table()) choices.emplace_back(info.name);
  return {{.name = "inference",
           .kind = OptionKind::choice,
           .value = fmt::format("{}", fmt::join(choices, "|")),
           .choices = choices,
           .help = "Approximates the posterior; auto: the most accurate for this many rows"},
          [choices](FitRequest& r, const Given& g) {
            const std::string name = parse_choice_option(g.name, g.text, choices);
            r.specification.inference =
                name == "auto" ? std::nullopt : std::optional(parse_inference(name));
          },
          [](const FitRequest& r) {
            const auto& method = r.specification.inference;
            return std::string(method ? to_string(*method) : "auto");
          }};
}

void hold(FitRequest& request, const std::string& name) {
  std::vector<std::string>& fixed = request.options.fixed;
  if (std::find(fixed.begin(), fixed.end(), name) == fixed.end()) fixed.push_back(name);
}

// "0.5" is where learning starts, "fixed(0.5)" is held.
Option dispersion() {
  Option out = positive("dispersion",
                        "P",
                        field(&FitRequest::specification,
                              &Specification::likelihood_options,
                              &LikelihoodOptions::dispersion),
                        "Where its learning starts; fixed(P) holds it");
  out.set = [set = out.set](FitRequest& r, Given g) {
    const bool held = g.text.starts_with("fixed(") && g.text.ends_with(')');
    if (held) g.text = g.text.substr(6, g.text.size() - 7);
    set(r, g);
    if (held) hold(r, "dispersion");
  };
  return out;
}

Option expansion_offset() {
  const auto at =
      field(&FitRequest::specification, &Specification::expansion, &ExpansionOptions::offset);
  return {{.name = "expansion_offset",
           .kind = OptionKind::number,
           .value = "C",
           .help = "Added to counts where taylor expands"},
          [at](FitRequest& r, const Given& g) {
            const double c = parse_number_option(g.name, g.text);
            if (c < 0) throw UsageError(fmt::format("{}: {} is below 0", g.name, g.text));
            at(r) = c;
          },
          [at](const FitRequest& r) { return at(r) < 0 ? "" : format_number(at(r)); }};
}

Option fixed() {
  return {{.name = "fixed",
           .kind = OptionKind::list,
           .value = "NAME,NAME",
           .help = "Hyperparameters that are held, e.g. rbf.variance"},
          [](FitRequest& r, const Given& g) {
            for (const std::string& name : parse_names(g.name, g.text)) hold(r, name);
          },
          [](const FitRequest& r) { return fmt::format("{}", fmt::join(r.options.fixed, ",")); }};
}

// "rbf.lengthscale ~ gamma(2, 1), dispersion ~ lognormal(0, 1)"
Option priors() {
  return {{.name = "priors",
           .kind = OptionKind::list,
           .value = "NAME~PRIOR,...",
           .help = "Priors of hyperparameters, e.g. 'rbf.lengthscale ~ gamma(2, 1)'"},
          [](FitRequest& r, const Given& g) {
            for (const std::string& part : parse_parts(g.name, g.text)) {
              const auto tilde = std::min(part.find('~'), part.size());
              const std::string name(text::trimmed(part.substr(0, tilde)));
              if (tilde == part.size() || name.empty())
                throw UsageError(fmt::format(
                    "{}: {} is not a name and its prior, as in rbf.lengthscale ~ gamma(2, 1)",
                    g.name,
                    in_quotes(part)));
              r.options.priors[name] = Prior::parse(part.substr(tilde + 1));
            }
          },
          [](const FitRequest& r) {
            std::vector<std::string> parts;
            for (const auto& [name, prior] : r.options.priors)
              parts.push_back(name + " ~ " + prior.text());
            return fmt::format("{}", fmt::join(parts, ", "));
          }};
}

// "zero=0.2, power=fixed(1.5)": any dispersion by its name; fixed(...) is held.
NamedValue read_parameter(const Given& g, const std::string& part) {
  const auto equals = std::min(part.find('='), part.size());
  NamedValue out{.name = std::string(text::trimmed(part.substr(0, equals)))};
  if (equals == part.size() || out.name.empty())
    throw UsageError(
        fmt::format("{}: {} is not a name and its value, as in zero=0.2", g.name, in_quotes(part)));
  std::string value(text::trimmed(part.substr(equals + 1)));
  out.fixed = value.starts_with("fixed(") && value.ends_with(')');
  if (out.fixed) value = value.substr(6, value.size() - 7);
  out.value = parse_number_option(g.name, value);
  return out;
}

Option parameter() {
  const auto at = field(&FitRequest::specification,
                        &Specification::likelihood_options,
                        &LikelihoodOptions::parameters);
  return {{.name = "parameter",
           .kind = OptionKind::list,
           .value = "NAME=VALUE,...",
           .help = "Where dispersions start, by name, e.g. zero=0.2; fixed(V) holds one"},
          [at](FitRequest& r, const Given& g) {
            std::vector<NamedValue> values;
            for (const std::string& part : parse_parts(g.name, g.text))
              values.push_back(read_parameter(g, part));
            at(r) = std::move(values);
          },
          [at](const FitRequest& r) {
            std::vector<std::string> parts;
            for (const NamedValue& v : at(r))
              parts.push_back(
                  v.name + "=" +
                  (v.fixed ? "fixed(" + format_number(v.value) + ")" : format_number(v.value)));
            return fmt::format("{}", fmt::join(parts, ", "));
          }};
}

std::vector<std::string> engine_names() {
  std::vector<std::string> names = {"auto"};
  for (const EngineEntry& engine : engine_table()) names.emplace_back(engine.name);
  return names;
}

Option memory_limit() {
  return {
      {.name = "memory_limit", .value = "BYTES", .help = "Refuse a fit that needs more, e.g. 2G"},
      [](FitRequest& r, const Given& g) {
        r.options.memory_limit =
            g.text == "0" ? 0 : static_cast<std::uint64_t>(parse_bytes(g.name, g.text));
      },
      [](const FitRequest& r) {
        return r.options.memory_limit == 0 ? "" : std::to_string(r.options.memory_limit);
      }};
}

// ---- The table

std::vector<Option> model_options() {
  const auto of = [](auto... members) { return field(&FitRequest::specification, members...); };
  return {
      text_option("likelihood",
                  "NAME|auto|FILE.toml",
                  of(&Specification::likelihood),
                  "A family, a formula, or auto: chosen by the outputs"),
      text_option("link", "NAME", of(&Specification::link), "From the latent function to the mean")
          .otherwise("the family's first"),
      inference(),
      text_option(
          "kernel", "EXPR|auto", of(&Specification::kernel), "Covariance of the latent function"),
      text_option("mean", "", of(&Specification::mean), "Prior mean of the latent function")
          .usually({"zero", "constant", "linear"}),
      dispersion().otherwise("the family's"),
      parameter().otherwise("the family's"),
      positive("df",
               "NU",
               of(&Specification::likelihood_options, &LikelihoodOptions::df),
               "Degrees of freedom of student-t"),
      flag("learn_df",
           of(&Specification::likelihood_options, &LikelihoodOptions::learn_df),
           "Learn the degrees of freedom of student-t"),
      choice("expansion",
             of(&Specification::expansion, &ExpansionOptions::point),
             {"auto", "exact", "canonical", "agnostic"},
             "Where taylor expands"),
      expansion_offset().otherwise("0.5 if any is 0"),
      text_option("warp", "", of(&Specification::warp), "A Gaussian process on warped outputs")
          .otherwise("none")
          .usually({"log", "logit", "arctanh", "tanh:3"}),
      name_of("engine",
              of(&Specification::engine, &EngineOptions::name),
              engine_names(),
              "How the prior is held; auto: what suits the number of rows"),
      choice("accuracy",
             of(&Specification::engine, &EngineOptions::accuracy),
             {"fast", "normal", "high"},
             "How near an engine that approximates comes to the dense one"),
      whole("inducing",
            of(&Specification::engine, &EngineOptions::inducing),
            0,
            1'000'000,
            "Points that all rows look at; 0: as many as the accuracy asks for"),
  };
}

std::vector<Option> learning_options() {
  const auto of = [](auto member) { return field(&FitRequest::options, member); };
  return {
      flag("optimize", of(&FitOptions::optimize), "Learn the hyperparameters"),
      whole("restarts",
            of(&FitOptions::restarts),
            0,
            100'000,
            "Random starts; 0: only from the given values"),
      whole("keep",
            of(&FitOptions::keep),
            1,
            100'000,
            "Distinct optima of the starts from which the inference goes on"),
      fixed().otherwise("none"),
      priors().otherwise("none"),
      choice("hyperparameters",
             of(&FitOptions::hyperparameters),
             {"optimum", "integrate"},
             "Take the best for known, or average answers over some tens of them"),
      positive("tolerance",
               "T",
               of(&FitOptions::tolerance),
               "Of the log marginal, at which a run stops"),
      whole("max_evaluations",
            of(&FitOptions::max_evaluations),
            1,
            1'000'000,
            "Of the log marginal, in each run"),
      whole("max_iterations",
            of(&FitOptions::inference_iterations),
            1,
            1'000'000,
            "Sweeps of the final inference"),
      flag("standard_errors",
           of(&FitOptions::standard_errors),
           "Compute standard errors of hyperparameters (up to 1,000 rows)"),
      whole("refit_folds",
            of(&FitOptions::refit_folds),
            0,
            100'000,
            "Cross-validate with models that learn again, in so many parts; 0: not"),
      whole("seed", of(&FitOptions::seed), 0, INT64_MAX, "Same seed and threads, same result"),
      whole("threads",
            of(&FitOptions::threads),
            0,
            1024,
            "Runs side by side; 0: as many as there are cores"),
      memory_limit().otherwise("none"),
      text_option("resume",
                  "FILE",
                  of(&FitOptions::resume),
                  "Keep in FILE how far the fit is, and go on from there if it exists")
          .otherwise("none"),
  };
}

// Names of columns.
template <class Field>
Option names(const char* name, const char* value, Field at, const char* help) {
  return {{.name = name, .kind = OptionKind::list, .value = value, .help = help},
          [at](FitRequest& r, const Given& g) { at(r) = parse_names(g.name, g.text); },
          [at](const FitRequest& r) {
            std::vector<std::string> quoted;
            for (const std::string& column : at(r)) quoted.push_back("'" + column + "'");
            return fmt::format("{}", fmt::join(quoted, ","));
          }};
}

std::vector<Option> row_options() {
  return {
      names("factors",
            "COL,COL",
            field(&FitRequest::table, &TableOptions::factors),
            "Inputs whose numbers are names of levels, as text is")
          .otherwise("text columns"),
      names("coordinates",
            "COL,COL|none",
            field(&FitRequest::table, &TableOptions::coordinates),
            "Inputs that are places in one space, scaled together")
          .otherwise("longitude and latitude by name"),
      flag("standardize",
           field(&FitRequest::table, &TableOptions::standardize),
           "Center and scale numeric inputs"),
      choice("missing",
             field(&FitRequest::table, &TableOptions::missing),
             {"error", "drop"},
             "Rows with missing cells"),
      flag("squeeze",
           field(&FitRequest::table, &TableOptions::squeeze),
           "Move outputs from [0, 1] into (0, 1), for beta: (y (n - 1) + 1/2) / n"),
  };
}

const std::vector<Option>& options() {
  static const std::vector<Option> table = [] {
    std::vector<Option> out;
    const auto add = [&](const char* group, std::vector<Option> part) {
      for (Option& option : part) {
        option.info.group = group;
        const std::string value = option.get({});
        if (!value.empty()) option.info.fallback = value;
        out.push_back(std::move(option));
      }
    };
    add("Model", model_options());
    add("Learning", learning_options());
    add("Rows", row_options());
    return out;
  }();
  return table;
}

const Option& find(std::string_view name) {
  std::vector<std::string> names;
  for (const Option& option : options()) {
    if (option.info.name == name) return option;
    names.push_back(option.info.name);
  }
  throw UsageError(
      fmt::format("there is no option {}{}", in_quotes(name), did_you_mean(name, names)));
}

}  // namespace

std::vector<OptionInfo> fit_options() {
  std::vector<OptionInfo> out;
  for (const Option& option : options()) out.push_back(option.info);
  return out;
}

const OptionInfo& fit_option(std::string_view name) { return find(name).info; }

void set_option(FitRequest& request,
                std::string_view name,
                std::string_view text,
                std::string_view spelled) {
  find(name).set(request, {spelled.empty() ? name : spelled, text});
}

std::string get_option(const FitRequest& request, std::string_view name) {
  return find(name).get(request);
}

}  // namespace ggpm
