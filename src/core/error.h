// Errors of three kinds (docs/architecture.md, "Errors"):
//   the user's    -> Error with a located message and an exit code, carried by Result
//   the library's -> Result<T>, which the caller must look at
//   ours          -> TALUS_CHECK, which prints the values and aborts
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace talus {

/// What the process exits with; also tells a caller whose fault an error is.
enum class ErrorKind : int {
  work = 1,     ///< the work failed: disk, damaged file, diverged simulation
  request = 2,  ///< the command line or the scene is wrong
};

struct Error {
  ErrorKind kind = ErrorKind::work;
  std::string message;  ///< what happened, where (file:line:column), what to do next
};

template <class... Args>
Error work_error(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorKind::work, fmt::format(text, std::forward<Args>(args)...)};
}

template <class... Args>
Error request_error(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorKind::request, fmt::format(text, std::forward<Args>(args)...)};
}

/// A value or an Error. Never thrown, never ignored.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : data_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : data_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return data_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return std::get<0>(data_); }
  const T& value() const& { return std::get<0>(data_); }
  T&& value() && { return std::get<0>(std::move(data_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return std::get<1>(data_); }

 private:
  std::variant<T, Error> data_;
};

/// Success or an Error, for work that has no value to return.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}
  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               const std::string& values);

}  // namespace talus

/// For mistakes of ours: prints the condition, the place and the values, then aborts.
/// TALUS_CHECK(i < n, "i={} n={}", i, n)
#define TALUS_CHECK(condition, ...)                                                      \
  do {                                                                                   \
    if (!(condition)) [[unlikely]]                                                       \
      ::talus::check_failed(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
  } while (false)
