// Field types of particles/store.h as columns of a container.
#pragma once

#include "frames/container.h"
#include "particles/store.h"

#include <optional>
#include <string_view>

namespace talus {

/// The scalar type as numpy writes it, e.g. "<f4" for all vectors and tensors of floats.
std::string_view numpy_type(FieldType type);
ColumnInfo column_of(const FieldInfo& field);
/// Empty when the column's type is not one of ours or its layout contradicts the type.
std::optional<FieldInfo> field_of(const ColumnInfo& column);

}  // namespace talus
