// Draws spheres, bodies and ground with WebGL 2.

/** Browsers differ in where they tell what draws. */
function drawsInSoftware(gl) {
  const plain = gl.getParameter(gl.RENDERER);
  const more = plain === 'WebKit WebGL' && gl.getExtension('WEBGL_debug_renderer_info');
  return /swiftshader|llvmpipe|softpipe|basic render/i.test(more ? gl.getParameter(more.UNMASKED_RENDERER_WEBGL) : plain);
}

const noTexture = 7;  // units: 0 sun, 1 sky, 2 colour map, 3 roughness, 4 to 6 the first pass, 7 to set up

class Stage {
  constructor(canvas, run, cloud, meshes) {
    const gl = this.gl = canvas.getContext('webgl2', {alpha: false, antialias: false, powerPreference: 'high-performance'});
    if (!gl) throw new Error('this browser has no WebGL 2');
    Object.assign(this, {canvas, run, cloud, meshes, fast: drawsInSoftware(gl)});
    this.spheres = new Program(gl, sphereVertex, sphereFragment);
    this.sphereDepth = new Program(gl, sphereDepthVertex, sphereDepthFragment);
    this.mesh = new Program(gl, meshVertex, meshFragment);
    this.glass = new Program(gl, meshVertex, glassFragment);
    this.meshDepth = new Program(gl, meshVertex, meshDepthFragment);
    this.ground = new Program(gl, groundVertex, groundFragment);
    this.light = new Program(gl, screenVertex, lightFragment);
    this.copy = new Program(gl, screenVertex, copyFragment);
    this.square = this.buffer(new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    this.makeCloud();
    this.bodies = run.bodies.map((body, b) => this.makeBody(body, meshes[b]));
    this.makeGround();
    this.makeColourMap();
    this.makeRoughness();
    this.makeDepthMaps(this.fast ? 1024 : 2048);
    gl.enable(gl.DEPTH_TEST);
  }

  buffer(data, use = this.gl.STATIC_DRAW) {
    const gl = this.gl, buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, use);
    return buffer;
  }

  sunDirection() {
    const to = vec.unit(this.run.sun);
    return vec.dot(to, this.run.up) > 0.15 ? to : vec.unit(vec.add(vec.scale(this.run.up, 2), [0.9, -0.7, 0.5]));
  }

  attribute(place, buffer, size, type, step, normalized = false, stride = 0, offset = 0) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, type, normalized, stride, offset);
    gl.vertexAttribDivisor(place, step);
  }

  makeCloud() {
    const gl = this.gl, n = this.cloud.count;
    this.cloudArray = gl.createVertexArray();
    gl.bindVertexArray(this.cloudArray);
    this.placeBuffers = [0, 1].map(() => this.buffer(6 * n, gl.DYNAMIC_DRAW));
    this.speedBuffers = [0, 1].map(() => this.buffer(n, gl.DYNAMIC_DRAW));
    this.attribute(0, this.square, 2, gl.FLOAT, 0);
    for (const k of [0, 1]) {
      this.attribute(1 + k, this.placeBuffers[k], 3, gl.UNSIGNED_SHORT, 1, false, 6);
      this.attribute(3 + k, this.speedBuffers[k], 1, gl.UNSIGNED_BYTE, 1);
    }
    this.attribute(5, this.buffer(this.cloud.radii), 1, gl.FLOAT, 1);
    this.attribute(6, this.buffer(this.cloud.paint), 3, gl.UNSIGNED_BYTE, 1, true, 3);
    this.held = [-1, -1];
    const sorted = this.cloud.radii.slice().sort();
    this.grain = sorted[sorted.length >> 1] || 0.01;
  }

  makeBody(body, corners) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffer = this.buffer(corners);
    this.attribute(0, buffer, 3, gl.FLOAT, 0, false, 24, 0);
    this.attribute(1, buffer, 3, gl.FLOAT, 0, false, 24, 12);
    return {...body, array, count: corners.length / 6};
  }

  makeGround() {
    const gl = this.gl, {camera, ground} = this.run;
    this.groundArray = gl.createVertexArray();
    gl.bindVertexArray(this.groundArray);
    this.attribute(0, this.square, 2, gl.FLOAT, 0);
    this.gridStep = roundNumber(camera.size / 6);
    const half = this.gridStep * 40;
    this.planes = ground.map(plane => {
      // The part of the plane below the middle of the action.
      const way = vec.dot(vec.sub(camera.target, plane.point), plane.normal);
      const point = vec.sub(camera.target, vec.scale(plane.normal, way));
      const [side, top] = vec.across(plane.normal);
      return {...plane, point, side: vec.scale(side, half), top: vec.scale(top, half)};
    });
  }

  /** A texture of one level, bound to `unit` for good. */
  texture(unit, format, width, height, filter, data) {
    const gl = this.gl, texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    const [inside, outside, type] = format;
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texImage2D(gl.TEXTURE_2D, 0, inside, width, height, 0, outside, type, data || null);
    for (const [key, value] of [[gl.TEXTURE_MIN_FILTER, filter], [gl.TEXTURE_MAG_FILTER, filter],
                                [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
      gl.texParameteri(gl.TEXTURE_2D, key, value);
    return texture;
  }

  target(colours, depth) {
    const gl = this.gl, target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    colours.forEach((texture, k) =>
        gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0 + k, gl.TEXTURE_2D, texture, 0));
    if (depth) gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depth, 0);
    gl.drawBuffers(colours.map((_, k) => gl.COLOR_ATTACHMENT0 + k));
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return target;
  }

  makeColourMap() {
    const gl = this.gl, {map} = this.run;
    const bytes = new Uint8Array(map.flatMap(c => [1, 3, 5].map(k => parseInt(c.slice(k, k + 2), 16))));
    this.texture(2, [gl.RGB8, gl.RGB, gl.UNSIGNED_BYTE], map.length, 1, gl.LINEAR, bytes);
  }

  /** Uneven ground for normals and shades of grains; always the same. */
  makeRoughness() {
    const gl = this.gl, size = 64, bytes = new Uint8Array(4 * size * size);
    let state = 1;
    for (let i = 0; i < bytes.length; ++i) {
      state = Math.imul(state, 1664525) + 1013904223 >>> 0;
      bytes[i] = state >>> 24;
    }
    this.texture(3, [gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE], size, size, gl.LINEAR, bytes);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.REPEAT);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.REPEAT);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    gl.generateMipmap(gl.TEXTURE_2D);
  }

  /** What the first pass writes and what the light makes of it, larger than the screen: smooth edges. */
  makePasses() {
    const gl = this.gl, {width, height} = this.canvas;
    const finer = this.fast ? 0.7 : width * height < 1.2e6 ? 1.5 : 1;
    const size = [Math.max(1, Math.round(width * finer)), Math.max(1, Math.round(height * finer))];
    if (this.size && this.size[0] === size[0] && this.size[1] === size[1]) return;
    for (const old of this.passes || []) gl.deleteTexture(old);
    for (const old of this.targets || []) gl.deleteFramebuffer(old);
    this.size = size;
    const colour = [gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE];
    const depth = [gl.DEPTH_COMPONENT24, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT];
    this.passes = [this.texture(4, colour, ...size, gl.NEAREST), this.texture(5, colour, ...size, gl.NEAREST),
                   this.texture(6, depth, ...size, gl.NEAREST), this.texture(noTexture, colour, ...size, gl.LINEAR)];
    const [colours, normals, depths, lit] = this.passes;
    this.targets = [this.target([colours, normals], depths), this.target([lit]), this.target([lit], depths)];
  }

  makeDepthMaps(size) {
    this.sun = this.makeDepthMap(0, size, this.sunDirection());
    this.sky = this.makeDepthMap(1, size / 2, this.run.up);
    this.lit = '';
  }

  /** Coarser, for machines that draw without a graphics card. */
  hurry() {
    if (this.fast) return;
    this.fast = true;
    for (const map of [this.sun, this.sky]) {
      this.gl.deleteTexture(map.texture);
      this.gl.deleteFramebuffer(map.target);
    }
    this.makeDepthMaps(1024);
  }

  /** Depth of everything as a light from direction `to` sees it. */
  makeDepthMap(unit, size, to) {
    const gl = this.gl;
    const texture = this.texture(unit, [gl.DEPTH_COMPONENT24, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT], size, size, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL);
    const target = this.target([], texture);
    const ahead = vec.scale(to, -1), [side, top] = vec.across(ahead);
    const radius = 0.95 * this.run.camera.size;
    const middle = this.run.camera.middle;
    const matrix = product(parallel(radius), viewMatrix(middle, side, top, ahead));
    return {texture, target, size, radius, ahead, side, top, matrix};
  }

  /** Uploads frames a and b, between which is drawn. */
  hold(a, b) {
    const gl = this.gl;
    [a, b].forEach((k, i) => {
      if (this.held[i] === k) return;
      const frame = this.cloud.frames[k];
      gl.bindBuffer(gl.ARRAY_BUFFER, this.placeBuffers[i]);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, frame.places);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.speedBuffers[i]);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, frame.speeds);
      this.held[i] = k;
    });
  }

  pose(body, a, b, between) {
    const last = body.poses.length - 1;
    const p = body.poses[Math.min(a, last)], q = body.poses[Math.min(b, last)];
    const same = p[3] * q[3] + p[4] * q[4] + p[5] * q[5] + p[6] * q[6] < 0 ? -1 : 1;
    const at = p.map((x, k) => x + between * ((k < 3 ? 1 : same) * q[k] - x));
    const size = Math.hypot(...at.slice(3)) || 1;
    return {shift: at.slice(0, 3), turn: [at[4], at[5], at[6], at[3]].map(x => x / size)};
  }

  drawSpheres(program, values) {
    const gl = this.gl, {lower, step, jump} = this.run;
    program.use({lower, cell: step, jump, between: this.now.between, ...values});
    gl.bindVertexArray(this.cloudArray);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.cloud.count);
  }

  drawBodies(program, values, wanted) {
    const gl = this.gl, {a, b, between} = this.now;
    for (const body of this.bodies.filter(wanted)) {
      program.use({...values, albedo: body.colour, ...this.pose(body, a, b, between)});
      gl.bindVertexArray(body.array);
      if (body.oneSided) gl.enable(gl.CULL_FACE);
      gl.drawArrays(gl.TRIANGLES, 0, body.count);
      gl.disable(gl.CULL_FACE);
    }
  }

  drawDepth(map, withBodies) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, map.target);
    gl.viewport(0, 0, map.size, map.size);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    const {matrix, side, top, ahead} = map;
    this.drawSpheres(this.sphereDepth, {matrix, side, top, ahead});
    if (withBodies) this.drawBodies(this.meshDepth, {matrix}, body => !body.oneSided);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  /** view: {eye, side, top, ahead, halfWidth, distance}; look: {colour, bodies, background, dim}. */
  draw(frame, view, look) {
    const gl = this.gl, a = Math.floor(frame), {width, height} = this.canvas;
    const b = Math.min(a + 1, this.cloud.frames.length - 1);
    this.now = {a, b, between: frame - a};
    this.hold(a, b);
    const solid = look.bodies === 'solid', lit = `${frame} ${solid}`;
    if (lit !== this.lit) {
      this.drawDepth(this.sun, solid);
      this.drawDepth(this.sky, solid);
      this.lit = lit;
    }
    this.makePasses();
    const near = view.distance * 0.03, far = view.distance + 40 * this.run.camera.size;
    const halfHeight = view.halfWidth * height / width;
    const matrix = product(perspective(view.halfWidth, halfHeight, near, far),
                           viewMatrix(view.eye, view.side, view.top, view.ahead));
    gl.viewport(0, 0, ...this.size);
    this.drawSurfaces({matrix, eye: view.eye}, look, solid);
    this.drawLight({
      matrix, eye: view.eye, up: this.run.up, sun: vec.scale(this.sun.ahead, -1), ahead: view.ahead,
      wide: vec.scale(view.side, view.halfWidth), high: vec.scale(view.top, halfHeight), nearFar: [near, far],
      sunMatrix: this.sun.matrix, skyMatrix: this.sky.matrix, sunMap: {unit: 0}, skyMap: {unit: 1},
      colours: {unit: 4}, normals: {unit: 5}, depths: {unit: 6}, background: look.background,
      sunOffset: 0.2 * this.grain + 4.5 * this.sun.radius / this.sun.size,
      skyOffset: 0.25 * this.grain + 4 * this.sky.radius / this.sky.size,
      skyReach: Math.max(7 * this.grain, 0.035 * this.run.camera.size), skyScale: 0.5 / this.sky.radius,
      skySide: this.sky.side, skyTop: this.sky.top,
    }, look);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    this.drawScreen(this.copy, {picture: {unit: noTexture}, texel: [0.6 / this.size[0], 0.6 / this.size[1]]});
  }

  drawSurfaces(common, look, solid) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.targets[0]);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    for (const plane of this.planes) {
      if (vec.dot(vec.sub(common.eye, plane.point), plane.normal) <= 0) continue;
      this.ground.use({...common, ...plane, albedo: vec.scale(plane.colour, look.dim), mesh: 40});
      gl.bindVertexArray(this.groundArray);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    if (solid) this.drawBodies(this.mesh, common, () => true);
    this.drawSpheres(this.spheres, {
      ...common, map: {unit: 2}, rough: {unit: 3}, bumps: this.run.bumps,
      highSpeed: look.colour === 'speed' ? this.run.highSpeed || 1e-3 : 0,
    });
  }

  drawLight(common, look) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.targets[1]);
    this.drawScreen(this.light, common);
    if (look.bodies !== 'glass') return;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.targets[2]);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    this.drawBodies(this.glass, common, () => true);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  /** A program for every pixel. */
  drawScreen(program, values) {
    const gl = this.gl;
    program.use(values);
    gl.disable(gl.DEPTH_TEST);
    gl.bindVertexArray(this.groundArray);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.enable(gl.DEPTH_TEST);
  }

  /** The picture as last drawn: red, green, blue, alpha of each pixel. */
  pixels() {
    const {width, height} = this.canvas, out = new Uint8Array(4 * width * height);
    this.gl.readPixels(0, 0, width, height, this.gl.RGBA, this.gl.UNSIGNED_BYTE, out);
    return out;
  }
}
