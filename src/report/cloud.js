// Reads what cloud.cpp packs: frames of spheres, each the difference to the one before.

const absentSpeed = 255;

async function unpack(text) {
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) packed[i] = letters.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const speedOf = code => code === 0 ? 0 : 1e-4 * 2 ** ((code - 1) / 12);

/** places: three numbers of 16 bits for each sphere; speeds: a byte, 255 where it is not there. */
function decodeFrame(bytes, count, before) {
  const known = bytes.length / 7;
  const places = before ? before.places.slice() : new Uint16Array(3 * count);
  const speeds = new Uint8Array(count).fill(absentSpeed);
  speeds.set(bytes.subarray(0, known));
  for (let axis = 0; axis < 3; ++axis) {
    const low = (1 + 2 * axis) * known, high = low + known;
    for (let i = 0; i < known; ++i) {
      const change = bytes[low + i] | bytes[high + i] << 8;
      // Kept to 16 bits by the array.
      places[3 * i + axis] += (change >> 1) ^ -(change & 1);
    }
  }
  return {places, speeds};
}

class Cloud {
  constructor(run) {
    this.run = run;
    this.count = run.spheres;
    this.frames = [];
  }

  /** Calls shown(k) after each frame, so that the first one is seen at once. */
  async load(shown) {
    const constants = await unpack(document.querySelector('script.spheres').textContent);
    this.radii = new Float32Array(constants.buffer, 0, this.count);
    this.paint = constants.subarray(4 * this.count);
    let before = null;
    for (const element of document.querySelectorAll('script.frame')) {
      before = decodeFrame(await unpack(element.textContent), this.count, before);
      this.frames.push(before);
      element.remove();
      await shown(this.frames.length);
    }
  }
}

/** Corners of triangles with normals that are smooth except at edges, ready to be drawn. */
async function loadMesh(mesh) {
  const bytes = await unpack(mesh.data);
  const words = new Uint16Array(bytes.buffer);
  const at = new Float32Array(3 * mesh.vertices);
  for (let i = 0; i < at.length; ++i) at[i] = mesh.lower[i % 3] + words[i] * mesh.step;
  const corners = words.subarray(at.length);
  const faces = new Float32Array(corners.length);  // normals, their length twice the area
  const around = Array.from({length: mesh.vertices}, () => []);
  for (let t = 0; t < corners.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map(k => 3 * corners[t + k]);
    for (let k = 0; k < 3; ++k) {
      const i = (k + 1) % 3, j = (k + 2) % 3;
      faces[t + k] = (at[b + i] - at[a + i]) * (at[c + j] - at[a + j]) -
                     (at[b + j] - at[a + j]) * (at[c + i] - at[a + i]);
      around[corners[t + k]].push(t);
    }
  }
  const out = new Float32Array(6 * corners.length);
  const length = t => Math.hypot(faces[t], faces[t + 1], faces[t + 2]) || 1e-30;
  for (let i = 0; i < corners.length; ++i) {
    const own = i - i % 3, normal = [0, 0, 0];
    for (const t of around[corners[i]]) {
      const along = faces[t] * faces[own] + faces[t + 1] * faces[own + 1] + faces[t + 2] * faces[own + 2];
      if (along < 0.75 * length(t) * length(own)) continue;
      for (let k = 0; k < 3; ++k) normal[k] += faces[t + k];
    }
    for (let k = 0; k < 3; ++k) {
      out[6 * i + k] = at[3 * corners[i] + k];
      out[6 * i + 3 + k] = normal[k];
    }
  }
  return out;
}
