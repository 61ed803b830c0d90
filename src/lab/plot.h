// Plots of an experiment as SVG and PNG, drawn by the same code (Cairo, whose headers stay in
// plot.cpp).
#pragma once

#include "core/error.h"
#include "lab/experiment.h"

#include <filesystem>

namespace talus::lab {

/// Writes BASE.svg and BASE.png.
Status write_plot(const std::filesystem::path& base, const Plot& plot);

}  // namespace talus::lab
