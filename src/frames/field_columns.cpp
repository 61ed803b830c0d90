#include "frames/field_columns.h"

namespace talus {

std::string_view numpy_type(FieldType type) {
  switch (type) {
    case FieldType::u8: return "|u1";
    case FieldType::u32: return "<u4";
    case FieldType::u64: return "<u8";
    case FieldType::f64:
    case FieldType::vec3d: return "<f8";
    case FieldType::f32:
    case FieldType::vec3f:
    case FieldType::sym3f:
    case FieldType::quatf: return "<f4";
  }
  return "";
}

namespace {

constexpr FieldType all_types[] = {FieldType::f32,   FieldType::f64,   FieldType::u8,
                                   FieldType::u32,   FieldType::u64,   FieldType::vec3f,
                                   FieldType::vec3d, FieldType::sym3f, FieldType::quatf};

/// Differences shrink ids and material numbers; on a byte of noise they only cost time.
bool stored_as_differences(FieldType type) {
  return type == FieldType::u32 || type == FieldType::u64;
}

}  // namespace

ColumnInfo column_of(const FieldInfo& field) {
  ColumnInfo column;
  column.name = field.name;
  column.unit = field.unit;
  column.meaning = field.meaning;
  column.type = type_name(field.type);
  column.dtype = numpy_type(field.type);
  column.item_bytes = static_cast<std::uint32_t>(bytes_per_item(field.type));
  column.components = static_cast<std::uint32_t>(components(field.type));
  column.delta = stored_as_differences(field.type);
  return column;
}

std::optional<FieldInfo> field_of(const ColumnInfo& column) {
  for (FieldType type : all_types) {
    if (type_name(type) != column.type) continue;
    if (column.item_bytes != bytes_per_item(type) ||
        column.components != static_cast<std::uint32_t>(components(type)))
      return {};
    return FieldInfo{column.name, column.unit, type, FieldUse::frame, column.meaning};
  }
  return {};
}

}  // namespace talus
