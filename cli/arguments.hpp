// Options whose values are checked once, here, with a sentence that names the option.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ggpm::cli {

// A decimal number, independent of the locale. UsageError names the option.
double parse_number_option(std::string_view option, std::string_view text);
std::int64_t parse_whole_option(std::string_view option,
                                std::string_view text,
                                std::int64_t lowest,
                                std::int64_t highest);

// "a,b" or "'first, second',b": names separated by commas, quoted where they contain one.
std::vector<std::string> parse_names(std::string_view option, std::string_view text);
std::vector<double> parse_numbers(std::string_view option, std::string_view text);
// "512", "512M", "1.5G": bytes.
std::int64_t parse_bytes(std::string_view option, std::string_view text);

// Adds an option to the command; the value is written to `value` when it is given.
CLI::Option* add_number(CLI::App* command,
                        const std::string& name,
                        double& value,
                        const std::string& help);
CLI::Option* add_positive(CLI::App* command,
                          const std::string& name,
                          double& value,
                          const std::string& help);
CLI::Option* add_whole(CLI::App* command,
                       const std::string& name,
                       std::int64_t& value,
                       const std::string& help,
                       std::int64_t lowest,
                       std::int64_t highest);
CLI::Option* add_names(CLI::App* command,
                       const std::string& name,
                       std::vector<std::string>& value,
                       const std::string& help);
CLI::Option* add_choice(CLI::App* command,
                        const std::string& name,
                        std::string& value,
                        const std::vector<std::string>& choices,
                        const std::string& help);

// What is wrong with the arguments, as a sentence with the nearest name.
std::string explain(const CLI::App& app, const CLI::ParseError& error);
// On one line, at most 200 bytes, without what a terminal would obey; the middle goes first.
std::string one_line(std::string_view message, std::size_t longest);

}  // namespace ggpm::cli
