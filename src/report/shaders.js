// Programs of the graphics card. Spheres are squares in which each pixel finds its own point of the
// surface. First everything writes colour, normal and depth; light comes after it, once for each
// pixel, however many grains lie behind each other. Two maps of depth, from the sun and from above,
// tell what lies in shadow and in hollows.

const glslHead = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
`;

/** What the first pass writes. Colours keep the curve of sRGB; alpha: how much of it is seen. */
const glslSurface = `
layout(location = 0) out vec4 surfaceColour;
layout(location = 1) out vec4 surfaceNormal;
void surface(vec3 colour, float seen, vec3 n) {
  surfaceColour = vec4(colour, seen);
  surfaceNormal = vec4(n * 0.5 + 0.5, 1.0);
}
`;

const glslLight = `
uniform vec3 eye, sun, up, skySide, skyTop;
uniform mat4 sunMatrix, skyMatrix;
uniform sampler2DShadow sunMap, skyMap;
uniform float sunOffset, skyOffset, skyReach;   // m
uniform float skyScale;                         // of the map, for each metre

float sunlight(vec3 p, vec3 n) {
  vec3 q = (sunMatrix * vec4(p + n * sunOffset, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(q, vec3(0.0))) || any(greaterThan(q, vec3(1.0)))) return 1.0;
  vec2 texel = 1.3 / vec2(textureSize(sunMap, 0));
  float sum = 0.0;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y) sum += texture(sunMap, vec3(q.xy + vec2(x, y) * texel, q.z));
  return sum / 9.0;
}

// What of the sky is not hidden by things that rise above 35 degrees nearby.
float skylight(vec3 p, vec3 n) {
  vec3 q = (skyMatrix * vec4(p + n * skyOffset, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(q, vec3(0.0))) || any(greaterThan(q, vec3(1.0)))) return 1.0;
  float sum = 0.0, all = 0.0;
  for (int i = 0; i < 16; ++i) {
    float far = (i < 8 ? 0.35 : 1.0) * skyReach, turn = 0.7854 * float(i) + (i < 8 ? 0.0 : 0.39);
    vec2 way = vec2(cos(turn), sin(turn));
    // A steep wall does not hide the sky behind its own back.
    float counts = step(-0.4, dot(skySide * way.x + skyTop * way.y, n));
    sum += counts * texture(skyMap, vec3(q.xy + way * far * skyScale, q.z - 0.7 * far * skyScale));
    all += counts;
  }
  return 0.2 + 0.8 * sum / all;
}

// From a colour of the first pass to the screen: lit, a soft shoulder, the curve of sRGB.
vec3 developed(vec3 colour, vec3 p, vec3 n, float gloss) {
  vec3 sky = mix(vec3(0.27, 0.22, 0.17), vec3(0.53, 0.53, 0.54), 0.5 + 0.5 * dot(n, up));
  float direct = max(dot(n, sun), 0.0);
  if (direct > 0.0) direct *= sunlight(p, n);
  vec3 light = vec3(2.75, 2.48, 2.1) * direct + sky * skylight(p, n);
  vec3 middle = normalize(sun + normalize(eye - p));
  float shine = gloss * direct * pow(max(dot(n, middle), 0.0), 40.0);
  return pow(1.0 - exp(-1.1 * (pow(colour, vec3(2.2)) * light + shine)), vec3(1.0 / 2.2));
}
`;

const spherePlace = `
layout(location = 0) in vec2 corner;
layout(location = 1) in vec3 placeA;
layout(location = 2) in vec3 placeB;
layout(location = 3) in float speedA;
layout(location = 4) in float speedB;
layout(location = 5) in float radius;
layout(location = 6) in vec3 paint;
uniform vec3 lower;
uniform float cell, between, jump;

// False when the sphere is not there.
bool place(out vec3 centre) {
  vec3 a = lower + placeA * cell, b = lower + placeB * cell;
  bool joined = speedB < 254.5 && distance(a, b) < jump;
  centre = joined ? mix(a, b, between) : a;
  return speedA < 254.5;
}
`;

const sphereVertex = `${glslHead}${spherePlace}
uniform mat4 matrix;
uniform vec3 eye;
uniform float highSpeed;   // 0: natural colours
uniform sampler2D map;
flat out vec4 ball;        // seen from the eye
flat out vec3 colour;
flat out vec2 patch_;      // of the roughness
out vec3 ray;

void main() {
  vec3 c;
  gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  if (!place(c)) return;
  c -= eye;
  float far = length(c);
  if (far < 1.1 * radius) return;
  vec3 ahead = c / far;
  vec3 side = normalize(cross(ahead, abs(ahead.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0)));
  float reach = radius * far / sqrt(far * far - radius * radius);
  ray = c + (side * corner.x + cross(side, ahead) * corner.y) * reach;
  ball = vec4(c, radius);
  patch_ = fract(vec2(gl_InstanceID) * vec2(0.618034, 0.754878));
  colour = paint;
  if (highSpeed > 0.0) {
    float code = mix(speedA, speedB < 254.5 ? speedB : speedA, between);
    float speed = code < 0.5 ? 0.0 : 1e-4 * exp2((code - 1.0) / 12.0);
    colour = texture(map, vec2(clamp(speed / highSpeed, 0.005, 0.995), 0.5)).rgb;
  }
  gl_Position = matrix * vec4(ray + eye, 1.0);
}`;

const sphereFragment = `${glslHead}${glslSurface}
uniform vec3 eye;
uniform mat4 matrix;
uniform sampler2D rough;
uniform float bumps;
flat in vec4 ball;
flat in vec3 colour;
flat in vec2 patch_;
in vec3 ray;

void main() {
  vec3 way = normalize(ray);
  float along = dot(way, ball.xyz);
  vec3 beside = ball.xyz - along * way;
  float inside = ball.w * ball.w - dot(beside, beside);
  if (inside < 0.0) discard;
  vec3 p = way * (along - sqrt(inside));
  vec3 n = (p - ball.xyz) / ball.w;
  vec4 clip = matrix * vec4(p + eye, 1.0);
  gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
  float rim = max(dot(n, -way), 0.0);
  vec4 r = texture(rough, 0.42 * n.xy / (1.0 + abs(n.z)) + patch_);
  vec3 c = colour * (0.8 + 0.2 * rim) * (1.0 + bumps * 0.5 * (r.a - 0.5));
  surface(c, 1.0, normalize(n + bumps * (r.rgb - 0.5)));
}`;

const sphereDepthVertex = `${glslHead}${spherePlace}
uniform mat4 matrix;
uniform vec3 side, top, ahead;   // of the light
out vec2 at;
flat out float bulge;            // depth from the middle to the front

void main() {
  vec3 c;
  gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  if (!place(c)) return;
  at = corner;
  gl_Position = matrix * vec4(c + (side * corner.x + top * corner.y) * radius, 1.0);
  bulge = 0.5 * (gl_Position.z - (matrix * vec4(c - ahead * radius, 1.0)).z);
}`;

const sphereDepthFragment = `${glslHead}
in vec2 at;
flat in float bulge;
void main() {
  float inside = 1.0 - dot(at, at);
  if (inside < 0.0) discard;
  gl_FragDepth = gl_FragCoord.z - bulge * sqrt(inside);
}`;

const meshVertex = `${glslHead}
layout(location = 0) in vec3 at;
layout(location = 1) in vec3 normal;
uniform vec4 turn;   // x y z w
uniform vec3 shift;
uniform mat4 matrix;
out vec3 place, facing;
vec3 rotated(vec3 v) { return v + 2.0 * cross(turn.xyz, cross(turn.xyz, v) + turn.w * v); }
void main() {
  place = rotated(at) + shift;
  facing = rotated(normal);
  gl_Position = matrix * vec4(place, 1.0);
}`;

const meshFragment = `${glslHead}${glslSurface}
uniform vec3 eye, albedo;
in vec3 place, facing;
void main() {
  vec3 n = normalize(facing);
  surface(pow(albedo, vec3(1.0 / 2.2)), 1.0, dot(n, eye - place) < 0.0 ? -n : n);
}`;

const glassFragment = `${glslHead}${glslLight}
uniform vec3 albedo;
in vec3 place, facing;
out vec4 screen;
void main() {
  vec3 n = normalize(facing), v = normalize(eye - place);
  if (dot(n, v) < 0.0) n = -n;
  float rim = pow(1.0 - max(dot(n, v), 0.0), 3.0);
  screen = vec4(developed(pow(albedo, vec3(1.0 / 2.2)), place, n, 0.5), 0.16 + 0.6 * rim);
}`;

const meshDepthFragment = `${glslHead}
void main() {}`;

const groundVertex = `${glslHead}
layout(location = 0) in vec2 corner;
uniform mat4 matrix;
uniform vec3 point, side, top;   // the last two as long as the ground reaches
out vec2 along;
void main() {
  along = corner;
  gl_Position = matrix * vec4(point + side * corner.x + top * corner.y, 1.0);
}`;

const groundFragment = `${glslHead}${glslSurface}
uniform vec3 albedo, normal;
uniform float mesh;   // lines of the grid in half the ground's width
in vec2 along;
void main() {
  float seen = 1.0 - smoothstep(0.10, 0.9, length(along));
  vec2 width = fwidth(along * mesh);
  vec2 line = abs(fract(along * mesh - 0.5) - 0.5) / width;
  float grid = clamp(1.2 - min(line.x, line.y), 0.0, 1.0) * clamp(0.6 - max(width.x, width.y), 0.0, 0.6);
  surface(pow(albedo, vec3(1.0 / 2.2)) * (1.0 - 0.22 * grid), seen, normal);
}`;

const screenVertex = `${glslHead}
layout(location = 0) in vec2 corner;
out vec2 at;
void main() {
  at = corner * 0.5 + 0.5;
  gl_Position = vec4(corner, 0.0, 1.0);
}`;

const lightFragment = `${glslHead}${glslLight}
uniform sampler2D colours, normals, depths;
uniform vec3 ahead, wide, high, background;   // the middle three span the picture at 1 m
uniform vec2 nearFar;
in vec2 at;
out vec4 screen;
void main() {
  vec4 colour = texture(colours, at);
  float depth = texture(depths, at).r, n = nearFar.x, f = nearFar.y;
  vec3 c = background;
  if (depth < 1.0 && colour.a > 0.0) {
    float far = 2.0 * n * f / (f + n - (2.0 * depth - 1.0) * (f - n));
    vec3 p = eye + far * (ahead + (2.0 * at.x - 1.0) * wide + (2.0 * at.y - 1.0) * high);
    vec3 normal = normalize(texture(normals, at).xyz * 2.0 - 1.0);
    c = mix(background, developed(colour.rgb, p, normal, 0.04), colour.a);
  }
  screen = vec4(c, 1.0);
}`;

const copyFragment = `${glslHead}
uniform sampler2D picture;
uniform vec2 texel;
in vec2 at;
out vec4 screen;
void main() {
  vec4 sum = vec4(0.0);
  for (int i = 0; i < 4; ++i) sum += texture(picture, at + texel * vec2(i & 1, i >> 1) - 0.5 * texel);
  screen = vec4(0.25 * sum.rgb, 1.0);
}`;
