// --set key=value: changes the tree of a scene file before it is looked at.
#pragma once

#include "scene/toml_tree.h"

#include <string>
#include <vector>

namespace talus {

/// Names of the [[size]] tables.
std::vector<std::string> size_names(const TomlNode& root);

/// Applies the word, the n-th (from 1) of the command line. An unknown key is put into the tree as
/// well, so that it is reported like one in the file. "size=NAME" applies the changes of that size,
/// whose mistakes stand in the file.
void apply_override(const std::string& word, int number, TomlNode& root, Diagnostics& diagnostics);

}  // namespace talus
