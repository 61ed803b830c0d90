#include "render/field_values.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace talus {

namespace {

template <class T, class Number>
Result<std::vector<float>> convert(const FieldSource& source, const std::string& name, Number number,
                                   const Executor& executor) {
  auto items = source.read<T>(name, executor);
  if (!items) return items.error();
  std::vector<float> out(items->size());
  executor.for_each(out.size(),
                    [&](std::size_t i) { out[i] = static_cast<float>(number((*items)[i])); });
  return out;
}

Result<std::vector<float>> numbers_of(const FieldSource& source, const FieldInfo& field,
                                      const Executor& executor) {
  const auto same = [](auto x) { return x; };
  const auto length = [](const auto& v) { return norm(v); };
  switch (field.type) {
    case FieldType::f32: return convert<float>(source, field.name, same, executor);
    case FieldType::f64: return convert<double>(source, field.name, same, executor);
    case FieldType::u8: return convert<std::uint8_t>(source, field.name, same, executor);
    case FieldType::u32: return convert<std::uint32_t>(source, field.name, same, executor);
    case FieldType::u64:
      // Ids as floats would merge beyond 2^24; as categories only their lowest bits matter.
      return convert<std::uint64_t>(
          source, field.name, [](auto x) { return x & 0xffffff; }, executor);
    case FieldType::vec3f: return convert<Vec3f>(source, field.name, length, executor);
    case FieldType::vec3d: return convert<Vec3d>(source, field.name, length, executor);
    case FieldType::sym3f:
      return convert<Sym3f>(
          source, field.name, [](const Sym3f& s) { return std::sqrt(squared_norm(s)); }, executor);
    case FieldType::quatf: break;
  }
  return request_error("the field '{}' ({}) cannot be shown as colour", field.name,
                       type_name(field.type));
}

std::string title_of(const std::string& name, const std::string& unit) {
  return unit.empty() || unit == "1" ? name : name + "  " + unit;
}

}  // namespace

std::vector<std::string> shown_fields(const FieldSource& source) {
  std::set<std::string> names{"height"};
  if (source.has("velocity")) names.insert("speed");
  for (const FieldInfo& field : source.fields())
    if (field.type != FieldType::quatf) names.insert(field.name);
  return {names.begin(), names.end()};
}

Result<FieldValues> read_field_values(const FieldSource& source, const std::string& name, int up,
                                      const Executor& executor) {
  FieldValues out;
  for (const FieldInfo& field : source.fields()) {
    if (field.name != name) continue;
    auto values = numbers_of(source, field, executor);
    if (!values) return values.error();
    out.title = title_of(components(field.type) > 1 ? "|" + name + "|" : name, field.unit);
    out.values = std::move(*values);
    out.categories = name == "id" || name == "material";
    return out;
  }
  if (name == "speed" || name == "height") {
    const bool speed = name == "speed";
    auto values = convert<Vec3f>(
        source, speed ? "velocity" : "position",
        [&](const Vec3f& v) { return speed ? norm(v) : v[up]; }, executor);
    if (!values) return values.error();
    return FieldValues{speed ? "speed  m/s" : "height  m", std::move(*values), false};
  }
  return request_error(
      "cannot colour by '{}': the frames have {}. More fields are written when the "
      "scene asks for them in [output] fields",
      name, fmt::join(shown_fields(source), ", "));
}

ValueRange robust_range(std::vector<float> values) {
  std::erase_if(values, [](float v) { return !std::isfinite(v); });
  if (values.empty()) return {0, 1};
  const std::size_t cut = values.size() / 100;
  const auto at = [&](std::size_t i) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values.end());
    return static_cast<double>(values[i]);
  };
  double lower = at(cut), upper = at(values.size() - 1 - cut);
  if (lower > 0 && lower < 0.3 * upper) lower = 0;
  if (upper < 0 && upper > 0.3 * lower) upper = 0;
  if (!(upper > lower)) {
    const double half = lower != 0 ? 0.5 * std::abs(lower) : 0.5;
    return {lower - half, upper + half};
  }
  return {lower, upper};
}

}  // namespace talus
