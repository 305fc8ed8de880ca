/* charts.js -- curves by uPlot, one legend for all of them. */

function css(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

/* Curves of a policy, hidden or not by the legend. */
function seriesOf(p, i, paths) {
  return { label: p.title, show: shown[i], stroke: () => colourOf(p), width: p.thick ? 3.2 : 1.8, dash: p.dashed ? [9, 5] : undefined, paths: paths, points: { show: false }, spanGaps: true };
}

function axis(extra) {
  return Object.assign({ stroke: () => css('--soft'), font: '12px ' + css('--sans'), grid: { stroke: () => css('--line'), width: 0.6 }, ticks: { stroke: () => css('--line'), width: 0.6 } }, extra);
}

function readout(id, first, u, format) {
  const at = u.cursor.idx, place = byId(id);
  place.replaceChildren();
  if (at === null || at === undefined) return;
  place.append(element('b', null, first(u.data[0][at])));
  policies.forEach((p, i) => {
    const value = u.data[i + 1][at];
    if (shown[i] && value !== null && value !== undefined) place.append(element('span', null, swatch(p), cut(p.title, 40) + ' ' + format(value)));
  });
}

/* The share of jobs no longer than each of these times: the last step at or before it. */
function sampled(p, grid) {
  let k = -1;
  return grid.map(x => {
    while (k + 1 < p.cdf_x.length && p.cdf_x[k + 1] <= x * (1 + 1e-12)) k++;
    return p.cdf_x.length ? (k < 0 ? 0 : 100 * p.cdf_y[k]) : null;
  });
}

const charts = [];
const stepped = uPlot.paths.stepped({ align: 1 });
const height = () => (window.innerWidth < 640 ? 260 : 380);

function size(element, share) { return { width: element.clientWidth, height: Math.round(height() * share) }; }

/* Arrows move the reading line by a hundredth of the width, + zooms to the quarter on either side of it, 0 goes back. */
function key(chart, e) {
  const u = chart.plot, width = u.over.clientWidth, left = u.cursor.left >= 0 ? u.cursor.left : width / 2;
  const move = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 }[e.key];
  if (move) u.setCursor({ left: Math.min(width, Math.max(0, left + move * width / 100)), top: u.over.clientHeight / 2 });
  else if (e.key === '+') u.setScale('x', { min: u.posToVal(Math.max(0, left - width / 4), 'x'), max: u.posToVal(Math.min(width, left + width / 4), 'x') });
  else if (e.key === '0') chart.draw();
  else return;
  e.preventDefault();
}

function addChart(id, share, make) {
  const place = byId(id);
  const chart = { place: place, share: share, make: make, plot: null };
  chart.draw = () => {
    if (chart.plot) chart.plot.destroy();
    const options = make();
    chart.plot = new uPlot(options.o, options.d, place);
    chart.plot.setSize(size(place, share));
  };
  place.addEventListener('keydown', e => key(chart, e));
  charts.push(chart);
  return chart;
}

function common(extra) {
  return Object.assign({ width: 600, height: 300, legend: { show: false }, padding: [8, 12, 0, 0], cursor: { points: { size: 6 }, drag: { x: true, y: false, setScale: true } } }, extra);
}

const ticks = new Map([[1e-6, '1 \u00b5s'], [1e-3, '1 ms'], [0.1, '0.1 s'], [1, '1 s'], [10, '10 s'], [60, '1 min'], [600, '10 min'], [3600, '1 h'], [21600, '6 h'], [86400, '1 d'],
  [604800, '1 wk'], [2592000, '30 d'], [31557600, '1 yr'], [315576000, '10 yr'], [3155760000, '100 yr']]);

/* Steps of an axis of plain time, and one unit for all its numbers. */
const steps = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].map(d => d * 86400)];
function unitOver(span) { return span > 345600 ? [86400, 'd'] : span > 14400 ? [3600, 'h'] : span > 240 ? [60, 'min'] : [1, 's']; }

(function cdf() {
  const all = policies.flatMap(p => p.cdf_x).filter(x => x > 0);
  if (!all.length) { byId('cdf').append(element('p', { class: 'none' }, 'No job took any time.')); return; }
  const low = p => { const from = 0.01 + (p.cdf_x[0] === 0 ? p.cdf_y[0] : 0); const i = p.cdf_x.findIndex((x, k) => x > 0 && p.cdf_y[k] >= from); return i < 0 ? Infinity : p.cdf_x[i]; };
  const fastest = Math.min(...policies.map(low));
  const left = Math.pow(10, Math.floor(Math.log10(Number.isFinite(fastest) ? fastest : Math.min(...all))));
  let right = 0;
  for (const x of all) right = Math.max(right, x);
  right = Math.max(right, 10 * left);
  const n = 600, grid = [];
  for (let i = 0; i <= n; i++) grid.push(i === n ? right : left * Math.pow(right / left, i / n));
  const chart = addChart('cdf', 1, () => ({
    d: [grid, ...policies.map(p => sampled(p, grid))],
    o: common({
      scales: { x: { time: false, distr: 3, log: 10 }, y: { range: [0, 100] } },
      axes: [axis({ values: (u, splits) => splits.map(v => ticks.get(v)), filter: (u, splits) => splits,
        splits: (u, i, min, max) => [...ticks.keys()].filter(v => v >= min * 0.999 && v <= max * 1.001).filter((v, k, list) => u.width > 560 || k % 2 === (list.length - 1) % 2) }),
        axis({ values: (u, splits) => splits.map(v => v + '\u2009%'), size: 52 })],
      series: [{}, ...policies.map((p, i) => seriesOf(p, i, stepped))],
      hooks: { setCursor: [u => readout('cdf-read', x => 'within ' + time(x), u, v => v.toFixed(1) + '\u2009%')] },
    }),
  }));
  byId('cdf-reset').addEventListener('click', () => chart.draw());
})();

(function use() {
  const end = Math.max(...policies.map(p => p.stretch_s * p.busy.length));
  if (!(end > 0)) { byId('use-note').textContent = 'Nothing took any time.'; return; }
  const n = 400, stretch = end / n, grid = [];
  for (let i = 0; i <= n; i++) grid.push(i * stretch);
  /* Runs of different lengths have stretches of different lengths: each grid point takes the one it lies in. */
  const on = (p, values) => grid.map(x => { const k = Math.floor(x / p.stretch_s + 1e-9); return k < values.length ? values[k] : k === values.length ? values[k - 1] : null; });
  byId('use-note').textContent = 'Of the first seed of each policy; each point is the mean over ' + time(Math.max(...policies.map(p => p.stretch_s))) + '. Time counts from the first submission.';
  const sync = uPlot.sync('use');
  const make = (what, most) => () => ({
    d: [grid, ...policies.map(p => on(p, p[what]))],
    o: common({
      cursor: { sync: { key: sync.key, setSeries: false }, points: { size: 6 }, drag: { x: true, y: false, setScale: true } },
      scales: { x: { time: false }, y: { range: (u, min, max) => [0, Math.max(most, (max || 1) * 1.05)] } },
      axes: [axis({ incrs: steps, space: 70, values: (u, splits) => { const [size, name] = unitOver(splits[splits.length - 1]); return splits.map(v => Number((v / size).toPrecision(4)) + '\u00a0' + name); } }), axis({ size: 52 })],
      series: [{}, ...policies.map((p, i) => seriesOf(p, i, stepped))],
      hooks: { setCursor: [u => { if (u.over.matches(':hover') || u.root.parentNode === document.activeElement || what === 'busy') readout('use-read', x => 'after ' + time(x), u, v => v.toFixed(1) + (what === 'busy' ? ' busy' : ' waiting')); }] },
    }),
  });
  const gpus = Math.max(...policies.map(p => p.gpus));
  const both = [addChart('busy', 0.62, make('busy', gpus)), addChart('waiting', 0.62, make('waiting', 0))];
  byId('use-reset').addEventListener('click', () => both.forEach(c => c.draw()));
})();

function drawLegend() {
  byId('legend').replaceChildren(...policies.map((p, i) => {
    const button = element('button', { type: 'button', 'aria-pressed': String(shown[i]) }, swatch(p), cut(p.title, 60));
    button.addEventListener('click', () => {
      shown[i] = !shown[i];
      button.setAttribute('aria-pressed', String(shown[i]));
      charts.forEach(c => c.plot && c.plot.setSeries(i + 1, { show: shown[i] }));
    });
    return button;
  }));
}

function drawCharts() { charts.forEach(c => c.draw()); }
themeListeners.push(drawLegend, drawCharts);
let pending = 0;
window.addEventListener('resize', () => { clearTimeout(pending); pending = setTimeout(() => charts.forEach(c => c.plot && c.plot.setSize(size(c.place, c.share))), 120); });
