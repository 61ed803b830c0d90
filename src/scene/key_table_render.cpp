// Keys of [[camera]] and [render].
#include "scene/key_tables.h"

namespace talus {

Section camera_keys() {
  return {
      "camera",
      "[[camera]]",
      "Where pictures are taken from. Several with one name are keyframes of one camera. Without "
      "any, a camera that frames the action is found.",
      {
          key<&Camera::name>("name", "", "\"main\"", "To choose it when rendering."),
          key<&Camera::time>("time", "s", "0",
                             "When, for a moving camera; times of one name must increase.")
              .in(between(0, 1e6)),
          key<&Camera::position>("position", "m", "[0, 0, 0]", "Of the eye.").must(),
          key<&Camera::target>("target", "m", "[0, 0, 0]",
                               "What it looks at; not the position itself.")
              .must(),
          key<&Camera::focal_length_mm>("focal_length_mm", "mm", "35",
                                        "Of a 36 mm wide film: 20 wide, 35 normal, 85 tele.")
              .in(between(1, 2000)),
          key<&Camera::f_stop>("f_stop", "", "0",
                               "Aperture number; smaller blurs more out of focus, 0 = all "
                               "sharp.")
              .in(between(0, 128)),
          key<&Camera::focus_distance>("focus_distance", "m", "0",
                                       "What is sharp; 0 = the target's distance.")
              .in(between(0, 1e6)),
      }};
}

Section render_keys() {
  return {
      "render",
      "[render]",
      "Pictures (`talus render`).",
      {
          key<&RenderSettings::width>("width", "pixels", "1280", "Of the picture.")
              .in(between(16, 16384)),
          key<&RenderSettings::height>("height", "pixels", "720",
                                       "Of the picture; even numbers for film.")
              .in(between(16, 16384)),
          key<&RenderSettings::samples>("samples", "per pixel", "32",
                                        "Paths for each pixel; noise falls with its square "
                                        "root, time grows in proportion.")
              .in(between(1, 65536)),
          key<&RenderSettings::motion_blur>("motion_blur", "", "false",
                                            "Smear along the velocity, half a frame long."),
          key<&RenderSettings::sun_direction>("sun_direction", "", "[0.65, -0.55, 0.42]",
                                              "Towards the sun; scaled to unit length. The "
                                              "default is turned with up.")
              .as(KeyType::direction),
          key<&RenderSettings::sun_strength>("sun_strength", "", "3",
                                             "Irradiance of the sun, relative.")
              .in(between(0, 1e4)),
          key<&RenderSettings::sky_strength>("sky_strength", "", "1",
                                             "Radiance of the sky, relative; more of it softens "
                                             "shadows.")
              .in(between(0, 1e4)),
          key<&RenderSettings::exposure>("exposure", "stops", "0",
                                         "Brightness before tone mapping; +1 doubles it.")
              .in(any_number(20)),
      }};
}

}  // namespace talus
