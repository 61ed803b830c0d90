// Spheres from points, after Longmore 2009, section 5.2 and pseudocode 5.1: a square around the
// sphere's picture, in which each pixel finds its own surface point, normal and depth.
//
// Deviations: the square is the exact box around the perspective picture (an ellipse, when the sphere
// is off the axis) instead of Eq. 5.1, and a pixel intersects its own ray with the sphere, so that
// spheres meet each other and the bodies where they should. In the shadow map, too, spheres have
// their depth; there they may then shadow themselves without spots.
#include "view/shaders.h"

namespace talus::view::shaders {

const char* const sprite_vertex = R"(
in vec4 in_a;   // centre, radius
in vec4 in_b;   // paint: sRGB, wetness
in float in_c;  // value
uniform mat4 view;
uniform mat4 projection;
uniform vec2 size;       // of the picture, pixels
uniform vec4 clip;       // eye frame: keep dot(xyz, p) + w >= 0; zero: all
uniform vec2 range;      // of values; equal: natural colours
uniform sampler2D map;   // colours of values
flat out vec4 ball;      // eye frame
flat out vec4 paint;
#ifdef SHADOW
out vec2 corner;
#endif

void main() {
  vec3 c = (view * vec4(in_a.xyz, 1.0)).xyz;
  float r = in_a.w;
  paint = in_b;
  if (range.x != range.y) {
    float t = clamp((in_c - range.x) / (range.y - range.x), 0.0, 1.0);
    paint = isnan(in_c) ? vec4(0.58, 0.58, 0.58, 0.0) : vec4(texture(map, vec2(t, 0.5)).rgb, 0.0);
  }
  gl_Position = vec4(2.0, 2.0, 2.0, 1.0);  // outside
  gl_PointSize = 1.0;
  ball = vec4(c, r);
  bool clipped = dot(clip.xyz, c) + clip.w < -r && dot(clip.xyz, clip.xyz) > 0.0;
#ifdef SHADOW
  clipped = dot(clip.xyz, c) + clip.w < 0.0 && dot(clip.xyz, clip.xyz) > 0.0;
  if (clipped) return;
  vec2 middle = (projection * vec4(c, 1.0)).xy;
  vec2 extent = vec2(projection[0][0], projection[1][1]) * r;
  float depth = (projection * vec4(c.xy, c.z + r, 1.0)).z;
#else
  if (clipped || c.z > -1.05 * r) return;
  // Never thinner than a pixel: far grains keep their place in the picture instead of flickering.
  float pixel = -c.z / (projection[1][1] * size.y);
  r = max(r, 1.3 * pixel);
  ball.w = r;
  vec2 low, high;
  for (int k = 0; k < 2; ++k) {
    vec2 d = vec2(c[k], c.z);
    float t2 = max(dot(d, d) - r * r, 1e-12);
    vec2 turn = vec2(sqrt(t2), r) / length(d);
    vec2 a = vec2(turn.x * d.x - turn.y * d.y, turn.y * d.x + turn.x * d.y);
    vec2 b = vec2(turn.x * d.x + turn.y * d.y, -turn.y * d.x + turn.x * d.y);
    float pa = projection[k][k] * a.x / -a.y, pb = projection[k][k] * b.x / -b.y;
    low[k] = min(pa, pb);
    high[k] = max(pa, pb);
  }
  vec2 middle = 0.5 * (low + high);
  vec2 extent = 0.5 * (high - low);
  vec4 front = projection * vec4(0.0, 0.0, c.z + r, 1.0);
  float depth = front.z / front.w;
#endif
#ifdef QUADS
  vec2 place = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  gl_Position = vec4(middle + place * extent, depth, 1.0);
#ifdef SHADOW
  corner = place;
#endif
#else
  gl_Position = vec4(middle, depth, 1.0);
  gl_PointSize = max(extent.x * size.x, extent.y * size.y) + 1.0;
#ifdef SHADOW
  corner = vec2(gl_PointSize / (extent.y * size.y));
#endif
#endif
}
)";

const char* const sprite_fragment = R"(
#extension GL_ARB_conservative_depth : enable
#ifdef GL_ARB_conservative_depth
layout(depth_greater) out float gl_FragDepth;
#endif
flat in vec4 ball;
flat in vec4 paint;
uniform mat4 projection;
uniform vec2 size;
uniform vec4 clip;
#ifdef SHADOW
in vec2 corner;
void main() {
#ifdef QUADS
  vec2 p = corner;
#else
  vec2 p = (gl_PointCoord * 2.0 - 1.0) * corner.y;
#endif
  float rest = 1.0 - dot(p, p);
  if (rest < 0.0) discard;
  float z = ball.z + ball.w * sqrt(rest);
  gl_FragDepth = 0.5 * (projection[2][2] * z + projection[3][2]) + 0.5;
}
#else
layout(location = 0) out vec4 out_paint;
layout(location = 1) out vec4 out_normal;
uniform mat3 eye_to_world;

void main() {
  vec2 ndc = gl_FragCoord.xy / size * 2.0 - 1.0;
  vec3 ray = vec3(ndc / vec2(projection[0][0], projection[1][1]), -1.0);
  float a = dot(ray, ray), b = dot(ray, ball.xyz);
  float rest = b * b - a * (dot(ball.xyz, ball.xyz) - ball.w * ball.w);
  if (rest < 0.0) discard;
  rest = sqrt(rest);
  float t = (b - rest) / a;
  vec3 normal = (t * ray - ball.xyz) / ball.w;
  // A cut sphere shows the flat face of the cut.
  if (dot(clip.xyz, t * ray) + clip.w < 0.0 && dot(clip.xyz, clip.xyz) > 0.0) {
    float along = dot(clip.xyz, ray);
    if (along <= 0.0) discard;
    t = -clip.w / along;
    if (t > (b + rest) / a) discard;
    normal = -clip.xyz;
  }
  gl_FragDepth = 0.5 * (projection[2][2] * -t + projection[3][2]) / t + 0.5;
  out_paint = paint;
  out_normal = vec4(eye_to_world * normal * 0.5 + 0.5, 0.34);
}
#endif
)";

const char* const mesh_vertex = R"(
in vec4 in_a;  // position
in vec4 in_b;  // normal
uniform mat4 view;
uniform mat4 projection;
uniform mat4 model;
out vec3 eye;
out vec3 normal;
void main() {
  vec4 p = view * model * vec4(in_a.xyz, 1.0);
  eye = p.xyz;
  normal = mat3(model) * in_b.xyz;
  gl_Position = projection * p;
}
)";

const char* const mesh_fragment = R"(
in vec3 eye;
in vec3 normal;
uniform vec4 clip;
#ifdef SHADOW
void main() {
  if (dot(clip.xyz, eye) + clip.w < 0.0 && dot(clip.xyz, clip.xyz) > 0.0) discard;
}
#else
uniform vec3 colour;  // sRGB
uniform mat3 eye_to_world;
layout(location = 0) out vec4 out_paint;
layout(location = 1) out vec4 out_normal;
void main() {
  if (dot(clip.xyz, eye) + clip.w < 0.0 && dot(clip.xyz, clip.xyz) > 0.0) discard;
  vec3 n = normalize(normal);
  if (dot(n, eye_to_world * eye) > 0.0) n = -n;
  out_paint = vec4(colour, 0.0);
  out_normal = vec4(n * 0.5 + 0.5, 0.67);
}
#endif
)";

const char* const screen_vertex = R"(
out vec2 place;  // 0..1
void main() {
  place = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2));
  gl_Position = vec4(place * 2.0 - 1.0, 0.0, 1.0);
}
)";

const char* const floor_fragment = R"(
in vec2 place;
uniform mat4 projection;
uniform mat3 eye_to_world;
uniform vec3 camera;
uniform vec3 point;
uniform vec3 normal;
uniform vec3 colour;       // linear
uniform float scene_size;  // m
uniform sampler2D noise;
layout(location = 0) out vec4 out_paint;
layout(location = 1) out vec4 out_normal;

void main() {
  vec3 eye = vec3((place * 2.0 - 1.0) / vec2(projection[0][0], projection[1][1]), -1.0);
  vec3 ray = eye_to_world * eye;
  float along = dot(ray, normal);
  float t = dot(point - camera, normal) / along;
  if (along >= 0.0 || t <= 0.0) discard;
  vec3 p = camera + t * ray;
  vec3 x = normalize(abs(normal.x) < 0.7 ? cross(normal, vec3(1, 0, 0)) : cross(normal, vec3(0, 1, 0)));
  vec2 uv = vec2(dot(p, x), dot(p, cross(normal, x))) / scene_size;
  float stains = texture(noise, uv * 0.11).r + 0.5 * texture(noise, uv * 0.31).r - 0.75;
  float fade = clamp(1.6 - t * length(eye) / (3.0 * scene_size), 0.0, 1.0);
  float grit = (texture(noise, uv * 9.0).r - 0.5) * 0.5 * fade;
  vec3 albedo = colour * (1.0 + 0.16 * stains + 0.22 * grit);
  out_paint = vec4(pow(clamp(albedo, 0.0, 1.0), vec3(1.0 / 2.2)), 0.0);
  out_normal = vec4(normal * 0.5 + 0.5, 1.0);
  // The far part of an endless floor lies behind everything else.
  gl_FragDepth = min(0.5 * (projection[2][2] * -t + projection[3][2]) / t + 0.5, 0.9999999);
}
)";

}  // namespace talus::view::shaders
