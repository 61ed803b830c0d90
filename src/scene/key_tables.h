// The tables themselves, one function for each group of sections; see keys.h.
#pragma once

#include "scene/keys.h"

namespace talus {

Section scene_keys();
Section size_keys();
Section sph_keys();
Section dem_keys();
Section material_keys();
Section contact_pair_keys();
Section shape_keys();
Section fill_keys();
Section pour_keys();
Section sink_keys();
Section wetting_keys();
Section body_keys();
Section keyframe_keys();
Section joint_keys();
Section rope_keys();
Section camera_keys();
Section render_keys();
Section detail_section_keys();
Section output_keys();

/// Names that material.grain_shape knows without a file.
inline const std::vector<std::string> grain_shape_names{"sphere", "clump2", "clump4",
                                                        "clump6", "clump8", "clump9"};

}  // namespace talus
