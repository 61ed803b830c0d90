// The player: time, camera, controls. Draws only when something has changed.

/** The camera turns about a point: angles in radians, up is the scene's. */
class Orbit {
  constructor(run) {
    this.up = run.up;
    this.east = vec.across(run.up)[0];
    this.north = vec.cross(run.up, this.east);
    this.first = run.camera;
    this.reset();
  }

  reset() {
    const {position, target, halfWidth} = this.first, way = vec.sub(position, target);
    this.distance = Math.hypot(...way) || 1;
    this.target = target.slice();
    this.halfWidth = halfWidth;
    this.yaw = Math.atan2(vec.dot(way, this.north), vec.dot(way, this.east));
    this.pitch = Math.asin(vec.dot(way, this.up) / this.distance);
  }

  view(aspect) {
    const level = vec.add(vec.scale(this.east, Math.cos(this.yaw)), vec.scale(this.north, Math.sin(this.yaw)));
    const back = vec.add(vec.scale(level, Math.cos(this.pitch)), vec.scale(this.up, Math.sin(this.pitch)));
    const ahead = vec.scale(back, -1), side = vec.unit(vec.cross(ahead, this.up)), top = vec.cross(side, ahead);
    // A narrow screen shows as much to the left and right, and more above and below.
    return {eye: vec.add(this.target, vec.scale(back, this.distance)), side, top, ahead, distance: this.distance,
            halfWidth: aspect > 16 / 9 ? this.halfWidth * aspect * 9 / 16 : this.halfWidth};
  }

  turn(dx, dy) {
    this.yaw -= dx * 0.008;
    this.pitch = Math.max(-0.3, Math.min(1.54, this.pitch + dy * 0.008));
  }

  zoom(factor) {
    const size = this.first.size;
    this.distance = Math.max(0.08 * size, Math.min(12 * size, this.distance * factor));
  }

  shift(dx, dy, aspect, width) {
    const view = this.view(aspect), scale = 2 * view.halfWidth * this.distance / width;
    this.target = vec.add(this.target, vec.add(vec.scale(view.side, -dx * scale), vec.scale(view.top, dy * scale)));
  }
}

class Player {
  constructor(element, run, stage, cloud) {
    Object.assign(this, {element, run, stage, cloud, frame: 0, playing: false, moved: () => {}});
    this.canvas = stage.canvas;
    this.orbit = new Orbit(run);
    this.times = run.frames.map(f => f.time);
    this.look = {colour: 'natural', bodies: 'solid', background: [0.9, 0.88, 0.85], dim: 1};
    this.part = name => element.querySelector(name);
    this.setUpControls();
    this.setUpPointer();
    // A phone takes the graphics away from pages in the background, and gives them back.
    this.canvas.addEventListener('webglcontextlost', event => event.preventDefault());
    this.canvas.addEventListener('webglcontextrestored', () => {
      this.stage = new Stage(this.canvas, run, cloud, stage.meshes);
      this.redraw();
    });
    this.readTheme();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.readTheme());
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.resize();
    this.showLegend();
  }

  get last() { return this.cloud.frames.length - 1; }
  get duration() { return this.times[this.times.length - 1] - this.times[0]; }

  readTheme() {
    const style = getComputedStyle(document.documentElement), colour = style.getPropertyValue('--stage').trim();
    this.look.background = [1, 3, 5].map(k => parseInt(colour.slice(k, k + 2), 16) / 255);
    this.look.dim = +style.getPropertyValue('--ground');
    this.redraw();
  }

  resize() {
    const scale = Math.min(devicePixelRatio || 1, 2);
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * scale));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * scale));
    this.draw();
  }

  redraw() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(now => {
      this.asked = 0;
      if (this.playing) this.advance(now);
      this.draw();
      if (this.playing) this.redraw();
    });
  }

  draw() {
    this.stage.draw(this.frame, this.orbit.view(this.canvas.width / this.canvas.height), this.look);
  }

  /** Time of a frame that may lie between two. */
  timeOf(frame) {
    const a = Math.floor(frame), b = Math.min(a + 1, this.times.length - 1);
    return this.times[a] + (frame - a) * (this.times[b] - this.times[a]);
  }

  frameAt(time) {
    const k = this.times.findIndex(t => t > time);
    if (k < 0) return this.times.length - 1;
    return k === 0 ? 0 : k - 1 + (time - this.times[k - 1]) / (this.times[k] - this.times[k - 1]);
  }

  advance(now) {
    const passed = Math.min((now - this.before) / 1000, 0.25);
    this.before = now;
    // Several slow pictures in a row: rather coarse than a stutter.
    this.slow = passed > 0.15 ? this.slow + 1 : 0;
    if (this.slow > 4) this.stage.hurry();
    let time = this.timeOf(this.frame) + passed * this.pace;
    if (this.frame >= this.last) time = this.times[0];
    this.seek(this.frameAt(time));
  }

  seek(frame) {
    this.frame = Math.max(0, Math.min(frame, this.last));
    const time = this.timeOf(this.frame), nearest = this.run.frames[Math.round(this.frame)].index;
    this.part('.timeline').value = this.frame;
    this.part('.clock').value = `${time.toFixed(2)} / ${this.timeOf(this.times.length - 1).toFixed(2)} s · frame ${nearest}`;
    this.moved(time);
    this.redraw();
  }

  play(on = !this.playing) {
    this.playing = on && this.last > 0;
    this.before = performance.now();
    this.slow = 0;
    this.part('.controls').classList.toggle('playing', this.playing);
    this.part('.play').setAttribute('aria-label', this.playing ? 'Pause' : 'Play');
    this.part('.big-play').hidden = true;
    this.redraw();
  }

  setUpControls() {
    this.part('.play').onclick = this.part('.big-play').onclick = () => this.play();
    const timeline = this.part('.timeline');
    timeline.max = this.times.length - 1;
    timeline.oninput = () => {
      this.play(false);
      this.seek(+timeline.value);
    };
    // A pace at which the whole takes a few seconds.
    const paces = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 50];
    this.pace = paces.find(p => this.duration / p <= 9) || 50;
    if (this.duration >= 1.5 && this.duration <= 14) this.pace = 1;
    const choice = this.part('.pace');
    for (const p of paces) choice.add(new Option(`×${p}`, p, false, p === this.pace));
    choice.onchange = () => { this.pace = +choice.value; };
    this.part('.colour').onchange = event => {
      this.look.colour = event.target.value;
      this.showLegend();
      this.redraw();
    };
    this.part('.bodies').hidden = this.run.bodies.length === 0;
    this.part('.bodies select').onchange = event => {
      this.look.bodies = event.target.value;
      this.redraw();
    };
    this.part('.reset').onclick = () => this.reset();
    const full = this.part('.full');
    full.hidden = !document.fullscreenEnabled;
    full.onclick = () => document.fullscreenElement ? document.exitFullscreen() : this.element.requestFullscreen();
    const scale = this.stage.gridStep;
    this.part('.scale').textContent = this.stage.planes.length === 0 ? '' :
        `grid ${scale < 0.01 ? `${+(scale * 1000).toPrecision(3)} mm` : scale < 1 ? `${+(scale * 100).toPrecision(3)} cm` : `${+scale.toPrecision(3)} m`}`;
    this.part('.note').textContent = document.getElementById('player-note').textContent;
  }

  reset() {
    this.orbit.reset();
    this.redraw();
  }

  setUpPointer() {
    const canvas = this.canvas, fingers = new Map();
    const spread = () => {
      const [a, b] = [...fingers.values()];
      return {x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, wide: Math.hypot(a.x - b.x, a.y - b.y) || 1};
    };
    canvas.addEventListener('pointerdown', event => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, {x: event.clientX, y: event.clientY});
    });
    canvas.addEventListener('pointermove', event => {
      const finger = fingers.get(event.pointerId);
      if (!finger) return;
      const before = fingers.size > 1 ? spread() : {...finger};
      const dx = event.clientX - finger.x, dy = event.clientY - finger.y;
      finger.x = event.clientX;
      finger.y = event.clientY;
      const aspect = canvas.width / canvas.height;
      if (fingers.size > 1) {
        const now = spread();
        this.orbit.zoom(before.wide / now.wide);
        this.orbit.turn(now.x - before.x, now.y - before.y);
      } else if (event.buttons & 6 || event.shiftKey) {
        this.orbit.shift(dx, dy, aspect, canvas.clientWidth);
      } else {
        this.orbit.turn(dx, dy);
      }
      this.redraw();
    });
    for (const end of ['pointerup', 'pointercancel'])
      canvas.addEventListener(end, event => fingers.delete(event.pointerId));
    canvas.addEventListener('contextmenu', event => event.preventDefault());
    // The page scrolls until the picture has been clicked: nobody gets stuck in it.
    canvas.addEventListener('wheel', event => {
      if (document.activeElement !== canvas && !event.ctrlKey && !document.fullscreenElement) return;
      event.preventDefault();
      this.orbit.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.0025));
      this.redraw();
    }, {passive: false});
    canvas.addEventListener('dblclick', () => this.reset());
    canvas.addEventListener('keydown', event => {
      if (event.key === ' ') this.play();
      else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
        this.play(false);
        this.seek(Math.round(this.frame) + (event.key === 'ArrowRight' ? 1 : -1));
      } else return;
      event.preventDefault();
    });
  }

  showLegend() {
    const legend = this.part('.legend');
    legend.replaceChildren();
    const add = (kind, name, text, parent = legend) => {
      const element = parent.appendChild(document.createElement(kind));
      if (name) element.className = name;
      if (text) element.textContent = text;
      return element;
    };
    if (this.look.colour === 'speed') {
      add('span', '', 'speed, m/s');
      add('i', 'bar').style.background = `linear-gradient(90deg, ${this.run.map.join(',')})`;
      const ends = add('span', 'ends');
      add('span', '', '0', ends);
      add('span', '', (+this.run.highSpeed.toPrecision(2)).toString(), ends);
      return;
    }
    const named = [...this.run.materials, ...this.run.bodies.slice(0, 8).map(b => ({
      name: b.name, colour: `rgb(${b.colour.map(c => Math.round(255 * Math.max(c, 0) ** (1 / 2.2))).join(' ')})`}))];
    for (const {name, colour} of named.slice(0, 10)) {
      const row = add('div', '');
      add('b', 'swatch', '', row).style.background = colour;
      row.append(name);
    }
  }
}

async function startPlayer(plots) {
  const run = JSON.parse(document.getElementById('run-data').textContent);
  if (!run) return null;
  const element = document.getElementById('player');
  element.hidden = false;
  const loading = element.querySelector('.loading');
  try {
    if (typeof DecompressionStream === 'undefined') throw new Error('this browser is too old (before 2023)');
    const cloud = new Cloud(run);
    const meshes = await Promise.all(run.bodies.map(body => loadMesh(body.mesh)));
    let player = null;
    await cloud.load(async count => {
      if (!player) {
        player = new Player(element, run, new Stage(element.querySelector('canvas'), run, cloud, meshes), cloud);
        player.moved = time => plots.forEach(plot => plot.showTime(time));
        plots.forEach(plot => { plot.picked = time => { player.play(false); player.seek(player.frameAt(time)); }; });
        player.seek(0);
      }
      // A pause now and then, so that the page stays alive while frames are unpacked.
      if (count % 4 === 1) await new Promise(resolve => setTimeout(resolve));
    });
    loading.hidden = true;
    return player;
  } catch (error) {
    loading.textContent = `The player cannot start: ${error.message}. Everything else on this page works.`;
    element.querySelector('.big-play').hidden = true;
    return null;
  }
}

/** For scripts: the player, the plots, and a promise that both are there. */
const talus = window.talus = {plots: drawPlots()};
talus.ready = startPlayer(talus.plots).then(player => { talus.player = player; return player; });
