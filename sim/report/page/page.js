/* page.js -- the data, words for it, and what all parts of the page share. */
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const policies = data.policies;
const shown = policies.map(() => true);
const byId = id => document.getElementById(id);

/* Text from the runs goes in as text only, never as markup. */
function element(name, attributes, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) if (value !== null && value !== false) made.setAttribute(key, value === true ? '' : value);
  made.append(...content.filter(c => c !== null && c !== undefined));
  return made;
}

function fixed(value, decimals) { return value === null || value === undefined ? null : value.toFixed(decimals).replace('-', '\u2212'); }

/* One unit for a whole column, as on the command line: seconds up to 100 minutes, minutes up to 100 hours, then hours. */
function timeUnit(largest) {
  return largest >= 360000 ? { name: 'h', size: 3600, decimals: 3 } : largest >= 6000 ? { name: 'min', size: 60, decimals: 2 } : { name: 's', size: 1, decimals: 2 };
}

/* A time by itself, in three digits. */
function time(seconds) {
  const s = Math.abs(seconds);
  const [size, name] = s >= 172800 ? [86400, 'd'] : s >= 7200 ? [3600, 'h'] : s >= 120 ? [60, 'min'] : s >= 1 || s === 0 ? [1, 's'] : [0.001, 'ms'];
  return String(Number((seconds / size).toPrecision(3))).replace('-', '\u2212') + '\u00a0' + name;
}

function isDark() { return document.documentElement.dataset.theme === 'dark'; }

/* Dark colours do not show on a dark ground: they are mixed with white until they do. */
function colourOf(policy) {
  const rgb = [1, 3, 5].map(i => parseInt(policy.colour.slice(i, i + 2), 16));
  const light = c => 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
  const mixed = (c, other, share) => c.map(v => Math.round(v + (other - v) * share));
  let c = Math.max(...rgb) < 16 && isDark() ? [233, 232, 228] : rgb; /* black turns to the ink of a dark page */
  for (let share = 0; isDark() && light(c) < 120 && share < 1; share += 0.05) c = mixed(rgb, 255, share);
  return 'rgb(' + c.join(',') + ')';
}

function swatch(policy) {
  return element('span', { class: 'swatch' + (policy.dashed ? ' dashed' : '') + (policy.thick ? ' thick' : ''), style: 'border-color:' + colourOf(policy), 'aria-hidden': 'true' });
}

function cut(text, most) { return text.length > most ? text.slice(0, most) + '\u2026' : text; }

const themeListeners = [];
function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  byId('theme').textContent = dark ? 'Light' : 'Dark';
  byId('theme').setAttribute('aria-pressed', String(dark));
  themeListeners.forEach(f => f());
}
const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');
byId('theme').addEventListener('click', () => setTheme(!isDark()));
prefersDark.addEventListener('change', e => setTheme(e.matches));
document.documentElement.dataset.theme = prefersDark.matches ? 'dark' : 'light';

(function head() {
  const run = policies[0].run, name = run.trace.path.split('/').pop();
  const same = policies.every(p => p.run.workload_hash === policies[0].run.workload_hash);
  document.title = name + ' \u00b7 mlfs-sim report';
  byId('title').textContent = cut(name, 120);
  const seeds = Math.max(...policies.map(p => p.seeds));
  byId('subtitle').textContent = [
    run.selection.jobs.toLocaleString('en') + ' jobs', run.cluster.gpus.toLocaleString('en') + ' GPUs in ' + run.cluster.servers.toLocaleString('en') + ' servers',
    'preset ' + (run.options.preset || 'plain'), seeds > 1 ? seeds + ' seeds' : 'seed ' + run.seed,
    policies.length === 1 ? '1 policy' : policies.length + ' policies'].join(' \u00b7 ');
  byId('program').textContent = 'mlfs-sim ' + data.version;
  const notices = byId('notices');
  if (!same) notices.append(element('p', { class: 'notice' }, 'These runs are not all of the same jobs and cluster: compare their figures with care.'));
  policies.filter(p => !p.run.complete).forEach(p => notices.append(element('p', { class: 'notice' }, cut(p.title, 200) + ': the run was interrupted before its end.')));
})();
