// Vectors, matrices and programs for WebGL.

const vec = {
  add: (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
  sub: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  scale: (a, s) => [a[0] * s, a[1] * s, a[2] * s],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  unit: a => vec.scale(a, 1 / (Math.hypot(...a) || 1)),
  /** Two directions across a. */
  across: a => {
    const side = vec.unit(vec.cross(a, Math.abs(a[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
    return [side, vec.cross(side, a)];
  },
};

/** A matrix by columns that takes p to (side, top, -ahead) about `from`. */
function viewMatrix(from, side, top, ahead) {
  const out = new Float32Array(16);
  [side, top, vec.scale(ahead, -1)].forEach((axis, row) => {
    for (let k = 0; k < 3; ++k) out[4 * k + row] = axis[k];
    out[12 + row] = -vec.dot(axis, from);
  });
  out[15] = 1;
  return out;
}

function product(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; ++c)
    for (let r = 0; r < 4; ++r)
      for (let k = 0; k < 4; ++k) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  return out;
}

function perspective(halfWidth, halfHeight, near, far) {
  const out = new Float32Array(16);
  out[0] = 1 / halfWidth;
  out[5] = 1 / halfHeight;
  out[10] = (near + far) / (near - far);
  out[11] = -1;
  out[14] = 2 * near * far / (near - far);
  return out;
}

function parallel(radius) {
  const out = new Float32Array(16);
  out[0] = out[5] = 1 / radius;
  out[10] = -1 / radius;
  out[15] = 1;
  return out;
}

/** A round number near x: 1, 2 or 5 times a power of ten. */
function roundNumber(x) {
  const power = 10 ** Math.floor(Math.log10(x)), rest = x / power;
  return (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10) * power;
}

class Program {
  constructor(gl, vertex, fragment) {
    this.gl = gl;
    this.program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(gl.getProgramInfoLog(this.program) ||
                      gl.getAttachedShaders(this.program).map(s => gl.getShaderInfoLog(s)).join('\n'));
    this.places = {};
  }

  /** Uniforms by name; the length of an array tells its type. Those the program lacks are skipped. */
  use(values) {
    const gl = this.gl;
    gl.useProgram(this.program);
    for (const [name, value] of Object.entries(values)) {
      if (!(name in this.places)) this.places[name] = gl.getUniformLocation(this.program, name);
      const place = this.places[name];
      if (place === null) continue;
      if (typeof value === 'number') gl.uniform1f(place, value);
      else if (value.unit !== undefined) gl.uniform1i(place, value.unit);
      else if (value.length === 16) gl.uniformMatrix4fv(place, false, value);
      else gl[`uniform${value.length}fv`](place, value);
    }
  }
}
