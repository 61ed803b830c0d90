#include "cli.h"

#include "scene/diagnostics.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <new>

namespace talus {

struct Cli::Parser {
  std::string verb;
  CLI::App app;

  /// "scene 'x'" style message plus where to read more; always exit code 2.
  int mistake(const std::string& message) const {
    fmt::print(stderr, "talus {}: {}\n'talus {} --help' tells what it takes\n", verb, message,
               verb);
    return static_cast<int>(ErrorKind::request);
  }

  std::vector<std::string> option_names() const {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
  }

  int unexpected(const std::string& word) const {
    if (word.empty() || word[0] != '-')
      return mistake(fmt::format("'{}' is one word too many", word));
    const std::string guess = nearest_word(word.substr(0, word.find('=')), option_names());
    return mistake(fmt::format("unknown option '{}'{}", word,
                               guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess)));
  }
};

namespace {
/// Accepts a number in [lower, upper]; also refuses nan, which no comparison catches.
template <class T>
auto in_range(T lower, T upper) {
  return [lower, upper](const std::string& text) -> std::string {
    T value{};
    if (CLI::detail::lexical_cast(text, value) && value >= lower && value <= upper) return {};
    return fmt::format("'{}' is not a number from {} to {}", text, lower, upper);
  };
}
}  // namespace

Cli::Cli(std::string verb, std::string summary) : parser_(std::make_unique<Parser>()) {
  parser_->verb = std::move(verb);
  CLI::App& app = parser_->app;
  app.name("talus " + parser_->verb);
  app.description(std::move(summary));
  app.allow_extras();  // so that we can answer an unknown word ourselves, with a suggestion
  app.get_formatter()->column_width(32);
}

Cli::~Cli() = default;

void Cli::word(const std::string& name, std::string& value, const std::string& meaning) {
  parser_->app.add_option(name, value, meaning)->required()->type_name("");
}

void Cli::optional_word(const std::string& name, std::string& value, const std::string& meaning) {
  parser_->app.add_option(name, value, meaning)->type_name("");
}

void Cli::words(const std::string& name, std::vector<std::string>& values,
                const std::string& meaning) {
  parser_->app.add_option(name, values, meaning)->required()->type_name("");
}

void Cli::option(const std::string& names, std::string& value, const std::string& meaning) {
  CLI::Option* added = parser_->app.add_option(names, value, meaning);
  if (!value.empty()) added->capture_default_str();
}

void Cli::option(const std::string& names, int& value, int lower, int upper,
                 const std::string& meaning) {
  parser_->app.add_option(names, value, meaning)
      ->capture_default_str()
      ->type_name("N")
      ->check(in_range(lower, upper));
}

void Cli::option(const std::string& names, std::uint64_t& value, const std::string& meaning) {
  parser_->app.add_option(names, value, meaning)->capture_default_str();
}

void Cli::option(const std::string& names, double& value, double lower, double upper,
                 const std::string& meaning) {
  parser_->app.add_option(names, value, meaning)
      ->capture_default_str()
      ->type_name("N")
      ->check(in_range(lower, upper));
}

void Cli::option(const std::string& names, std::vector<std::string>& values,
                 const std::string& meaning) {
  parser_->app.add_option(names, values, meaning)->allow_extra_args(false);
}

void Cli::choice(const std::string& names, std::string& value,
                 const std::vector<std::string>& allowed, const std::string& meaning) {
  CLI::Option* added = parser_->app.add_option(
      names, value, fmt::format("{}: {}", meaning, fmt::join(allowed, ", ")));
  if (!value.empty()) added->capture_default_str();
  added->check([allowed](const std::string& word) -> std::string {
    if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) return {};
    const std::string guess = nearest_word(word, allowed);
    return fmt::format("'{}' is not one of {}{}", word, fmt::join(allowed, ", "),
                       guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess));
  });
}

void Cli::flag(const std::string& names, bool& value, const std::string& meaning) {
  parser_->app.add_flag(names, value, meaning);
}

void Cli::footer(const std::string& text) { parser_->app.footer(text); }

bool Cli::given(const std::string& name) const { return parser_->app.count(name) > 0; }

std::optional<int> Cli::parse(std::span<const std::string> args) {
  std::vector<std::string> reversed(args.rbegin(), args.rend());  // what CLI11 expects
  try {
    parser_->app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", parser_->app.help());
    return 0;
  } catch (const CLI::ParseError& e) {
    const std::vector<std::string> rest = parser_->app.remaining();
    return rest.empty() ? parser_->mistake(e.what()) : parser_->unexpected(rest.front());
  }
  const std::vector<std::string> rest = parser_->app.remaining();
  if (!rest.empty()) return parser_->unexpected(rest.front());
  return std::nullopt;
}

Status parse_numbers(const std::string& text, char separator, std::vector<double>& numbers) {
  std::size_t start = 0;
  for (double& number : numbers) {
    if (start > text.size()) break;
    const std::size_t end = std::min(text.find(separator, start), text.size());
    const std::string_view part = std::string_view(text).substr(start, end - start);
    if (!part.empty()) {
      const auto [stop, code] = std::from_chars(part.data(), part.data() + part.size(), number);
      if (code != std::errc() || stop != part.data() + part.size())
        return request_error("'{}' in '{}' is not a number", part, text);
    }
    start = end + 1;
  }
  if (start <= text.size()) return request_error("'{}' has too many parts", text);
  return {};
}

int report_error(const Error& error) {
  fmt::print(stderr, "talus: {}\n", error.message);
  return static_cast<int>(error.kind);
}

int run_guarded(int argc, char** argv, int (*verb)(std::span<const std::string>)) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  try {
    return verb(words);
  } catch (const std::bad_alloc&) {
    return report_error(
        work_error("out of memory; use fewer particles (a larger spacing) or a larger machine"));
  } catch (const std::exception& e) {
    return report_error(work_error("unexpected failure: {}", e.what()));
  }
}

}  // namespace talus
