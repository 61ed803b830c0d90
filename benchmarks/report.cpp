// The results as a table for people and as JSON for programs.

#include "bench.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus {

namespace {

/// Half the range of the repetitions, as a percentage of their median.
std::string plus_minus(const Spread& s) {
  return fmt::format("+-{:.0f} %", s.median != 0 ? 50 * (s.highest - s.lowest) / s.median : 0.0);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string json_spread(const Spread& s) {
  return fmt::format(R"({{"median": {:.6g}, "lowest": {:.6g}, "highest": {:.6g}}})", s.median,
                     s.lowest, s.highest);
}

std::string json_list(const std::vector<BenchResult::NamedSpread>& items) {
  std::string out;
  for (const auto& item : items)
    out += fmt::format(R"({}{{"name": {}, "unit": {}, "value": {}}})", out.empty() ? "" : ", ",
                       quoted(item.name), quoted(item.unit), json_spread(item.value));
  return "[" + out + "]";
}

}  // namespace

std::string to_table(const BenchMachine& machine, const std::vector<BenchResult>& results) {
  std::string out = fmt::format("{}, {} cores, {:.1f} GiB, {}\n{}, {}\ncommit {}\n", machine.cpu,
                                machine.cores, machine.memory_gib, machine.system, machine.compiler,
                                machine.flags, machine.commit);
  for (const BenchResult& r : results) {
    out += fmt::format("\n{}  ({} particles, {} steps, {} threads, median of {})\n", r.name,
                       r.particles, r.steps, r.threads, r.repeats);
    out += fmt::format("  {:<24} {:>12.6f} s            {}\n", "total", r.seconds.median,
                       plus_minus(r.seconds));
    for (const auto& phase : r.phases)
      out += fmt::format("    {:<22} {:>12.6f} s            {}\n", phase.name, phase.value.median,
                         plus_minus(phase.value));
    out += fmt::format("  {:<24} {:>12.4g} particles/s\n", "Cundall number", r.cundall);
    out += fmt::format("  {:<24} {:>12.4g} B/particle\n", "memory", r.bytes_per_particle);
    for (const auto& figure : r.figures)
      out += fmt::format("  {:<24} {:>12.4g} {:<12} {}\n", figure.name, figure.value.median,
                         figure.unit, plus_minus(figure.value));
  }
  return out;
}

std::string to_json(const BenchMachine& machine, const std::vector<BenchResult>& results) {
  std::string out = fmt::format(
      "{{\n  \"program\": \"talus {}\",\n  \"machine\": {{\"cpu\": {}, \"cores\": {}, "
      "\"memory_gib\": {:.1f}, \"system\": {}, \"compiler\": {}, \"flags\": {}}},\n"
      "  \"commit\": {},\n  \"cases\": [",
      TALUS_VERSION, quoted(machine.cpu), machine.cores, machine.memory_gib, quoted(machine.system),
      quoted(machine.compiler), quoted(machine.flags), quoted(machine.commit));
  for (const BenchResult& r : results) {
    out += fmt::format(
        "{}\n    {{\"name\": {}, \"threads\": {}, \"repeats\": {}, \"particles\": {}, \"steps\": "
        "{},\n"
        "     \"seconds\": {}, \"cundall_number\": {:.6g}, \"bytes_per_particle\": {:.6g},\n"
        "     \"phases\": {},\n     \"figures\": {}}}",
        &r == results.data() ? "" : ",", quoted(r.name), r.threads, r.repeats, r.particles, r.steps,
        json_spread(r.seconds), r.cundall, r.bytes_per_particle, json_list(r.phases),
        json_list(r.figures));
  }
  return out + "\n  ]\n}\n";
}

}  // namespace talus
