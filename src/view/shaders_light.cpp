// Light on what the geometry left behind, once for each pixel:
//   L = albedo/pi (E_sun V max(0, n.l) + E_sky(n) A) + Blinn-Phong,   then haze, tone curve, sRGB
//   V  share of the sun that is seen: shadow map (Williams 1978), compared in a disc of points
//   A  ambient occlusion, estimated from depth (McGuire, Mara & Luebke 2012)
//   E_sky  irradiance of the sky and of the ground's own light, spherical harmonics of order 2
//          (Ramamoorthi & Hanrahan 2001)
// Sun, sky, haze, wetness and tone curve are those of `talus render`.
#include "view/shaders.h"

namespace talus::view::shaders {

const char* const screen_common = R"(
in vec2 place;
uniform sampler2D depths;
uniform sampler2D normals;
uniform mat4 projection;
uniform mat3 eye_to_world;

float distance_at(float depth) {
  return projection[3][2] / (2.0 * depth - 1.0 + projection[2][2]);
}
vec3 eye_at(vec2 at, float t) {
  return vec3((at * 2.0 - 1.0) / vec2(projection[0][0], projection[1][1]), -1.0) * t;
}
float pixel_noise() {  // even over small blocks (Jimenez 2014)
  return fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
}
)";

const char* const occlusion_fragment = R"(
uniform vec2 size;      // of this picture, pixels
uniform float radius;   // m
layout(location = 0) out vec2 result;  // light that is left, distance

void main() {
  float depth = texture(depths, place).r;
  float t = distance_at(depth);
  result = vec2(1.0, t);
  if (depth >= 1.0) return;
  vec3 p = eye_at(place, t);
  vec3 n = (texture(normals, place).xyz * 2.0 - 1.0) * eye_to_world;
  float reach = 0.5 * radius * projection[1][1] / t;  // of the picture's height
  if (reach * size.y < 1.0) return;
  reach = min(reach, 0.25);
  float turn = pixel_noise() * 6.2831853, sum = 0.0;
  const int count = 10;
  for (int i = 0; i < count; ++i) {
    float part = (float(i) + 0.5) / float(count);
    float angle = turn + part * 6.2831853 * 3.0;
    vec2 at = place + reach * part * vec2(cos(angle) * size.y / size.x, sin(angle));
    float d = texture(depths, at).r;
    if (d >= 1.0) continue;
    vec3 v = eye_at(at, distance_at(d)) - p;
    float far = dot(v, v), up = dot(v, n) - 0.0005 * t;
    float f = max(radius * radius - far, 0.0);
    sum += f * f * f * max(up / (far + 1e-4 * radius * radius), 0.0);
  }
  float r3 = radius * radius * radius;
  result.x = max(0.0, 1.0 - sum * radius * 5.0 / (r3 * r3 * float(count)));
}
)";

const char* const light_fragment = R"(
uniform sampler2D paints;
uniform sampler2D occlusion;
uniform sampler2D sky;
uniform sampler2D noise;
uniform sampler2DShadow shadow;
uniform mat4 to_shadow;       // world to the shadow map, 0..1
uniform float texel;          // m, of the shadow map; 0: no shadows
uniform float softness;       // of shadows, texels
uniform bool occluded;        // use `occlusion`
uniform vec3 camera;
uniform vec3 up;
uniform vec3 sun;             // direction
uniform vec3 sun_light;       // irradiance
uniform vec3 ambient[9];
uniform float scene_size;
uniform float gain;
uniform float bumps;
out vec4 result;

vec3 sky_at(vec3 d) {
  float sine = clamp(dot(d, up), 0.0, 1.0);
  vec3 level = d - up * dot(d, up), level_sun = sun - up * dot(sun, up);
  float scale = length(level) * length(level_sun);
  float cosine = scale > 1e-6 ? clamp(dot(level, level_sun) / scale, -1.0, 1.0) : 1.0;
  return texture(sky, vec2(acos(cosine) / 3.14159265, sqrt(sine)) * vec2(127.0 / 128.0, 63.0 / 64.0) +
                          vec2(0.5 / 128.0, 0.5 / 64.0)).rgb;
}

vec3 ambient_at(vec3 n) {
  return max(vec3(0.0), ambient[0] + ambient[1] * n.y + ambient[2] * n.z + ambient[3] * n.x +
    ambient[4] * (n.x * n.y) + ambient[5] * (n.y * n.z) + ambient[6] * (3.0 * n.z * n.z - 1.0) +
    ambient[7] * (n.x * n.z) + ambient[8] * (n.x * n.x - n.y * n.y));
}

float seen_sun(vec3 p, vec3 n) {
  if (texel <= 0.0) return 1.0;
  float slope = clamp(dot(n, sun), 0.0, 1.0);
  vec4 s = to_shadow * vec4(p + n * texel * (0.6 + softness * (1.0 - slope)) + sun * texel, 1.0);
  float turn = pixel_noise() * 6.2831853, sum = 0.0;
  vec2 step = softness / vec2(textureSize(shadow, 0));
  const int count = 9;
  for (int i = 0; i < count; ++i) {
    float angle = turn + float(i) * 2.3999632;
    vec2 at = s.xy + sqrt((float(i) + 0.5) / float(count)) * step * vec2(cos(angle), sin(angle));
    sum += texture(shadow, vec3(at, s.z));
  }
  return sum / float(count);
}

float open_sky(float t) {
  if (!occluded) return 1.0;
  vec2 step = 1.0 / vec2(textureSize(occlusion, 0));
  float sum = 0.0, weights = 1e-4;
  for (int y = -1; y <= 1; ++y)
    for (int x = -1; x <= 1; ++x) {
      vec2 o = texture(occlusion, place + vec2(x, y) * 1.34 * step).rg;
      float weight = max(0.0, 1.0 - 40.0 * abs(o.g - t) / t);
      sum += weight * o.r;
      weights += weight;
    }
  return weights > 0.01 ? sum / weights : texture(occlusion, place).r;
}

vec3 tone(vec3 x) {
  x *= gain;
  vec2 c = place * 2.0 - 1.0;
  float corner = 0.5 * dot(c, c);
  x *= 1.0 - 0.12 * corner * corner;
  x = max(mix(vec3(dot(x, vec3(0.2126, 0.7152, 0.0722))), x, 1.05), 0.0);
  vec3 p = pow(x, vec3(1.4));
  vec3 y = min(1.05 * p / (p + 0.4382), 1.0);
  return mix(12.92 * y, 1.055 * pow(y, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, y));
}

void main() {
  float depth = texture(depths, place).r;
  vec3 ray = eye_to_world * eye_at(place, 1.0);
  vec3 view = normalize(ray);
  if (depth >= 1.0) {
    result = vec4(tone(sky_at(view)), 1.0);
    return;
  }
  float t = distance_at(depth);
  vec3 p = camera + ray * t;
  vec4 paint = texture(paints, place);
  vec4 code = texture(normals, place);
  vec3 n = normalize(code.xyz * 2.0 - 1.0);
  int kind = int(code.w * 3.0 + 0.5);  // 1 grain, 2 body, 3 floor
  vec3 albedo = pow(paint.rgb, vec3(2.2));
  float wet = kind == 1 ? paint.a : 0.0;
  vec3 facing = n;
  if (kind == 1 && bumps > 0.0) {
    vec2 seed = fract(paint.rg * vec2(251.7, 173.3) + paint.b * 77.1);
    vec2 uv = n.xy * 0.16 + n.z * vec2(0.09, -0.07) + seed;
    vec2 tilt = (texture(noise, uv).rg - 0.5) * bumps;
    vec3 x = normalize(abs(n.x) < 0.7 ? cross(n, vec3(1, 0, 0)) : cross(n, vec3(0, 1, 0)));
    facing = normalize(n + x * tilt.x + cross(n, x) * tilt.y);
    albedo *= 1.0 + 0.5 * (tilt.x + tilt.y);
  }
  albedo = pow(albedo, vec3(1.0 + 0.55 * wet)) * (1.0 - 0.38 * wet);
  float lit = max(dot(facing, sun), 0.0);
  float visible = lit > 0.0 ? seen_sun(p, n) : 0.0;
  float open = open_sky(t);
  vec3 light = albedo / 3.14159265 * (sun_light * (lit * visible) + ambient_at(facing) * open);
  // Light from one grain to the next keeps the gaps of bright sand bright.
  light += albedo * albedo / 3.14159265 * ambient_at(n) * (1.0 - open) * 0.55;
  float shine = kind == 2 ? 48.0 : mix(18.0, 90.0, wet);
  float strength = kind == 2 ? 0.05 : kind == 1 ? mix(0.025, 0.06, wet) : 0.0;
  float half_way = max(dot(facing, normalize(sun - view)), 0.0);
  light += sun_light * (lit * visible * strength * pow(half_way, shine) * (shine + 8.0) / 25.1327);
  if (kind == 3) {
    float far = t * length(ray) / (14.0 * scene_size);
    float haze = 1.0 - exp(-far * far);
    light = mix(light, sky_at(normalize(view - up * dot(view, up))), haze);
  }
  result = vec4(tone(light) + (pixel_noise() - 0.5) / 255.0, 1.0);
}
)";

}  // namespace talus::view::shaders
