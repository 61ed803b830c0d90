// The programs of the graphics card, GLSL 3.30. All geometry writes albedo, normal and depth; light,
// shadow and tone come after it, once for each pixel, however many grains lie behind each other.
#pragma once

namespace talus::view::shaders {

// One point for each sphere; -DQUADS draws four corners of a square instead, for spheres larger than
// the driver's largest point. -DSHADOW writes depth alone, as the sun sees it.
extern const char* const sprite_vertex;
extern const char* const sprite_fragment;
extern const char* const mesh_vertex;
extern const char* const mesh_fragment;
extern const char* const screen_vertex;   ///< a triangle that covers the picture
extern const char* const floor_fragment;  ///< an endless plane, by its distance along each ray
extern const char* const screen_common;   ///< stands before the next two
extern const char* const occlusion_fragment;
extern const char* const light_fragment;

}  // namespace talus::view::shaders
