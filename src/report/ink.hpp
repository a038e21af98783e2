// The colors: variables in a page (assets/page.css), fixed ones in a file of its own.
#pragma once

#include <array>
#include <string>

#include "report/chart.hpp"

namespace ggpm::internal::report {

struct InkColor {
  Ink ink;
  const char* name;   // of the variable, without --
  const char* light;  // as page.css says
};

inline constexpr std::array<InkColor, 5> kInks = {{{Ink::model, "model", "#1f5fa8"},
                                                   {Ink::data, "data", "#c4472f"},
                                                   {Ink::accent, "accent", "#7a4fa3"},
                                                   {Ink::good, "good", "#2e7d4f"},
                                                   {Ink::muted, "muted", "#707783"}}};

inline const InkColor& find_ink(Ink ink) { return kInks[static_cast<std::size_t>(ink)]; }

inline std::string color_variable(Ink ink) {
  return std::string("var(--") + find_ink(ink).name + ")";
}

}  // namespace ggpm::internal::report
