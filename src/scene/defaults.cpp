#include "scene/defaults.h"

#include "scene/key_values.h"

namespace talus {
namespace {

void set_defaults(const char* name, void* object) {
  Diagnostics diagnostics("the table of keys", {});
  ReadContext context{diagnostics, {}};
  context.defaults = true;
  const Section& section = scene_section(name);
  for (const Key& key : section.keys)
    if (key.has_default_value)
      set_value(key, section.name + "." + key.name, key.default_value, object, context);
  TALUS_CHECK(diagnostics.ok(), "{}", diagnostics.to_error().message);
}

template <class T>
T made_of_defaults(const char* name) {
  T object;
  set_defaults(name, &object);
  return object;
}

}  // namespace

Scene default_scene() {
  Scene scene = made_of_defaults<Scene>("scene");
  set_defaults("sph", &scene.sph);
  set_defaults("dem", &scene.dem);
  set_defaults("render", &scene.render);
  set_defaults("detail", &scene.detail);
  set_defaults("output", &scene.output);
  return scene;
}

Material default_material() { return made_of_defaults<Material>("material"); }
Shape default_shape() { return made_of_defaults<Shape>("shape"); }
Sink default_sink() {
  Sink sink = made_of_defaults<Sink>("sink");
  sink.shape = default_shape();
  return sink;
}
ContactPair default_contact() { return made_of_defaults<ContactPair>("contact"); }

Fill default_fill() {
  Fill fill = made_of_defaults<Fill>("fill");
  fill.shape = default_shape();
  return fill;
}
Pour default_pour() { return made_of_defaults<Pour>("pour"); }
Wetting default_wetting() {
  Wetting wetting = made_of_defaults<Wetting>("wetting");
  wetting.shape = default_shape();
  return wetting;
}
SceneBody default_body() {
  SceneBody body = made_of_defaults<SceneBody>("body");
  body.shape = default_shape();
  return body;
}
Keyframe default_keyframe() { return made_of_defaults<Keyframe>("body.keyframe"); }
Joint default_joint() { return made_of_defaults<Joint>("joint"); }
Rope default_rope() { return made_of_defaults<Rope>("rope"); }
Camera default_camera() { return made_of_defaults<Camera>("camera"); }

}  // namespace talus
