// Values made of the defaults that the key tables declare, for scenes made in code.
#pragma once

#include "scene/scene.h"

namespace talus {

Scene default_scene();  ///< no materials, no bodies, nothing in it
Material default_material();
ContactPair default_contact();
Fill default_fill();
Pour default_pour();
Sink default_sink();
Wetting default_wetting();
SceneBody default_body();
Keyframe default_keyframe();
Joint default_joint();
Rope default_rope();
Camera default_camera();
Shape default_shape();

}  // namespace talus
