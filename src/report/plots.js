// Plots over time: lines in SVG, values under the pointer in the legend of every plot at once.

const svgElement = (kind, attributes, parent) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (parent) parent.append(element);
  return element;
};

/** Round values that part [low, high] into about `count` pieces. */
function ticks(low, high, count) {
  const step = roundNumber((high - low) / count || 1), out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) out.push(k * step);
  return out;
}

function valueText(value) {
  if (value === null || value === undefined) return '–';
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return value.toExponential(2);
  if (size >= 1000) return Math.round(value).toLocaleString('en').replaceAll(',', '\u202f');
  return (+value.toPrecision(4)).toString();
}

function axisText(value, largest) {
  if (value === 0) return '0';
  if (largest >= 1e6) return `${+(value / 1e6).toPrecision(6)} M`;
  if (largest >= 1e4) return `${+(value / 1e3).toPrecision(6)} k`;
  return largest < 1e-3 ? (+value.toPrecision(3)).toExponential() : (+value.toPrecision(6)).toString();
}

const plotMargin = {left: 44, right: 10, top: 10, bottom: 22};

class PlotView {
  constructor(plot, parent, all) {
    Object.assign(this, {plot, all, picked: () => {}, at: null, time: plot.time[0]});
    this.card = document.createElement('section');
    this.card.className = 'plot card';
    this.card.dataset.key = plot.key;
    const title = this.card.appendChild(document.createElement('h2'));
    title.textContent = plot.title;
    if (plot.unit) title.appendChild(document.createElement('small')).textContent = plot.unit;
    this.when = title.appendChild(document.createElement('span'));
    this.keys = this.card.appendChild(document.createElement('div'));
    this.keys.className = 'keys';
    this.svg = svgElement('svg', {role: 'img', 'aria-label': `${plot.title} over time`}, this.card);
    parent.append(this.card);
    this.svg.addEventListener('pointermove', event => this.point(event));
    this.svg.addEventListener('pointerleave', () => all.forEach(view => view.showCursor(null)));
    this.svg.addEventListener('click', event => this.picked(this.timeUnder(event)));
    new ResizeObserver(() => this.draw()).observe(this.svg);
    this.draw();
  }

  timeUnder(event) {
    const {left, right} = plotMargin, box = this.svg.getBoundingClientRect();
    const share = (event.clientX - box.left - left) / (box.width - left - right);
    return this.first + Math.max(0, Math.min(1, share)) * (this.last - this.first);
  }

  point(event) {
    const time = this.timeUnder(event);
    this.all.forEach(view => view.showCursor(time));
  }

  get first() { return this.plot.time[0]; }
  get last() { return this.plot.time[this.plot.time.length - 1]; }

  range() {
    let low = 0, high = 0;
    for (const series of this.plot.series)
      for (const v of series.values)
        if (v !== null) {
          low = Math.min(low, v);
          high = Math.max(high, v);
        }
    return high > low ? [low, high + 0.04 * (high - low)] : [low, low + 1];
  }

  draw() {
    const {left, right, top, bottom} = plotMargin;
    const width = this.svg.clientWidth || 400, height = this.svg.clientHeight || 190;
    const [low, high] = this.range(), {time, series} = this.plot;
    this.x = t => left + (t - this.first) / (this.last - this.first || 1) * (width - left - right);
    this.y = v => height - bottom - (v - low) / (high - low) * (height - top - bottom);
    this.svg.replaceChildren();
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    for (const v of ticks(low, high, 4)) {
      const y = this.y(v).toFixed(1);
      svgElement('line', {class: v === 0 ? 'axis' : 'rule', x1: left, x2: width - right, y1: y, y2: y}, this.svg);
      svgElement('text', {x: left - 6, y: +y + 3.5, 'text-anchor': 'end'}, this.svg).textContent =
          axisText(v, Math.max(Math.abs(low), high));
    }
    for (const t of ticks(this.first, this.last, Math.max(2, Math.min(8, width / 90))))
      svgElement('text', {x: this.x(t).toFixed(1), y: height - 6, 'text-anchor': 'middle'}, this.svg).textContent =
          `${+t.toPrecision(6)}`;
    svgElement('text', {x: width - right, y: height - 6, 'text-anchor': 'end'}, this.svg).textContent = 's';
    series.forEach((line, k) => {
      let path = '', pen = false;
      line.values.forEach((v, i) => {
        if (v !== null) path += `${pen ? 'L' : 'M'}${this.x(time[i]).toFixed(1)} ${this.y(v).toFixed(1)}`;
        pen = v !== null;
      });
      svgElement('path', {class: 'line', d: path, stroke: `var(--s${k % 4 + 1})`}, this.svg);
    });
    this.now = svgElement('line', {class: 'now', y1: top, y2: height - bottom}, this.svg);
    this.cursor = svgElement('line', {class: 'cursor', y1: top, y2: height - bottom}, this.svg);
    this.dots = series.map((line, k) => svgElement('circle', {r: 3.2, fill: `var(--s${k % 4 + 1})`}, this.svg));
    this.showTime(this.time);
    this.showCursor(this.at);
  }

  /** Where the player is. */
  showTime(time) {
    this.time = time;
    const x = this.x(Math.max(this.first, Math.min(this.last, time)));
    this.now.setAttribute('x1', x);
    this.now.setAttribute('x2', x);
    if (this.at === null) this.showValues(time);
  }

  /** Where the pointer is; null when it has left. */
  showCursor(time) {
    this.at = time;
    for (const mark of [this.cursor, ...this.dots]) mark.setAttribute('visibility', time === null ? 'hidden' : 'visible');
    this.showValues(time === null ? this.time : time);
  }

  nearest(time) {
    const all = this.plot.time;
    let low = 0, high = all.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (all[middle] <= time) low = middle;
      else high = middle;
    }
    return time - all[low] <= all[high] - time ? low : high;
  }

  showValues(time) {
    const i = this.nearest(time), at = this.plot.time[i];
    this.cursor.setAttribute('x1', this.x(at));
    this.cursor.setAttribute('x2', this.x(at));
    const shown = this.plot.series.map((line, k) => {
      const value = line.values[i], dot = this.dots[k];
      if (value === null) dot.setAttribute('visibility', 'hidden');
      else {
        dot.setAttribute('cx', this.x(at));
        dot.setAttribute('cy', this.y(value));
      }
      const key = document.createElement('span');
      key.appendChild(document.createElement('i')).style.background = `var(--s${k % 4 + 1})`;
      key.append(line.name);
      key.appendChild(document.createElement('b')).textContent = valueText(value);
      return key;
    });
    this.when.textContent = (this.plot.notes[i] ? `set by: ${this.plot.notes[i]}, ` : '') + `at ${+at.toPrecision(5)} s`;
    this.keys.replaceChildren(...shown);
  }
}

function drawPlots() {
  const parent = document.getElementById('plots'), all = [];
  for (const plot of JSON.parse(document.getElementById('plot-data').textContent))
    all.push(new PlotView(plot, parent, all));
  return all;
}
