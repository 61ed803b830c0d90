// The texts of the page, made from the files of the same names by cmake/embed.cmake.
#pragma once

#include <string_view>

namespace talus::report {

extern const std::string_view page_html, page_css, cloud_js, gl_js, shaders_js, stage_js, player_js,
    plots_js;

}  // namespace talus::report
