// The words of a report, as HTML.
#pragma once

#include "render/run_source.h"
#include "report/tables.h"
#include "run/manifest.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace talus::report {

struct PageFacts {
  const Manifest& manifest;
  const RunSource* run = nullptr;  ///< nothing when the scene cannot be read any more
  const RunTables& tables;
  std::string folder;
  bool being_written = false;  ///< a program holds the folder now
};

/// "12 345" with narrow spaces.
std::string grouped(std::uint64_t number);
/// "#c2a17d" of a linear colour.
std::string css_colour(const std::array<float, 3>& linear);

std::string state_html(const PageFacts& facts);
std::string figures_html(const PageFacts& facts);
std::string timings_html(const RunTables& tables);
std::string materials_html(const Scene& scene);
std::string notes_html(std::span<const std::string> notes);
/// An image, a film, both, or nothing; data addresses or empty.
std::string picture_html(const std::string& picture, const std::string& film);

/// Plots as JSON, for plots.js.
std::string plots_json(std::span<const Plot> plots);

}  // namespace talus::report
