// The commented scene that `talus new` writes.
#pragma once

#include <string>
#include <string_view>

namespace talus {

/// A small pile poured next to a box, with a comment on every choice; passes `talus check`.
std::string starter_scene(std::string_view name);

}  // namespace talus
