/* tables.js -- the comparison, the jobs, the parameters. */

(function summary() {
  const value = (p, key) => p.summary[key];
  const times = ['jct_s.mean', 'jct_s.p50', 'jct_s.p99', 'wait_s.mean'];
  const jct = timeUnit(Math.max(...policies.map(p => value(p, 'jct_s.mean') || 0)));
  const makespan = timeUnit(Math.max(...policies.map(p => value(p, 'makespan_s') || 0)));
  const percent = { name: '%', size: 0.01, decimals: 1 };
  const base = value(policies[0], 'jct_s.mean');
  const columns = [
    ['seeds', { name: '', size: 1, decimals: 0 }, p => (policies.some(q => q.seeds > 1) ? p.seeds : null)],
    ['jobs', { name: '', size: 1, decimals: policies.some(p => value(p, 'jct_s.n') % 1) ? 1 : 0 }, 'jct_s.n'],
    ['mean JCT', jct, times[0]], ['p50 JCT', jct, times[1]], ['p99 JCT', jct, times[2]], ['\u2264 100 min', percent, 'jct_below_100min'],
    ['mean wait', jct, times[3]], ['makespan', makespan, 'makespan_s'], ['deadline met', percent, 'deadline_met'], ['accuracy met', percent, 'accuracy_met'],
    ['bandwidth', { name: 'TB', size: 1e12, decimals: 3 }, 'bandwidth_bytes'], ['GPUs held', percent, 'gpu_allocation'], ['GPUs used', percent, 'gpu_utilisation'],
    ['unfairness', { name: 'mean \u03c1', size: 1, decimals: 2 }, 'finish_time_fairness.mean'], ['preemptions', { name: '', size: 1, decimals: 0 }, 'preemptions'],
    ['mean JCT', { name: 'vs ' + cut(policies[0].title, 30), size: 0.01, decimals: 1, signed: true }, p => (policies.length > 1 && base > 0 && value(p, 'jct_s.mean') !== null ? value(p, 'jct_s.mean') / base - 1 : null)],
  ].map(([title, unit, of]) => ({ title: title, unit: unit, of: typeof of === 'string' ? p => value(p, of) : of })).filter(c => policies.some(p => c.of(p) !== null && c.of(p) !== undefined));
  const cell = (c, p) => {
    const v = c.of(p);
    if (v === null || v === undefined) return element('td', { class: 'none' }, '\u2013');
    return element('td', null, (c.unit.signed && v >= 0 ? '+' : '') + fixed(v / c.unit.size, c.unit.decimals) + (c.unit.signed ? '\u2009%' : ''));
  };
  const draw = () => byId('summary').replaceChildren(
    element('thead', null, element('tr', null, element('th', { class: 'word', scope: 'col' }, 'policy'), ...columns.map(c => element('th', { scope: 'col' }, c.title, element('span', { class: 'unit' }, c.unit.name || '\u00a0'))))),
    element('tbody', null, ...policies.map(p => element('tr', null, element('th', { class: 'word', scope: 'row' }, swatch(p), cut(p.title, 60)), ...columns.map(c => cell(c, p))))));
  byId('summary-note').textContent = policies.some(p => p.seeds > 1) ? 'Means over the seeds that have a value.' : '';
  themeListeners.push(draw);
})();

(function jobs() {
  const words = ['job_id', 'user', 'vc', 'model', 'state'], perPage = 50;
  const titles = { job_id: 'job', user: 'user', vc: 'virtual cluster', model: 'model', n_gpus: 'GPUs', submit_s: 'submitted, s', state: 'state', start_s: 'started, s', end_s: 'ended, s', jct_s: 'JCT, s', wait_s: 'wait, s', service_s: 'service, s', preemptions: 'preemptions', migrations: 'migrations', deadline_met: 'deadline met', accuracy_final: 'accuracy', fairness: 'fairness \u03c1' };
  let current = 0, sortBy = null, down = false, page = 0;
  const column = (p, name) => p.jobs[name] || policies[p.from].jobs[name];
  const isEmpty = v => v === null || v === undefined || v === '';
  const picks = byId('jobs-policy'), state = byId('jobs-state'), filter = byId('jobs-filter');
  policies.forEach((p, i) => picks.append(element('option', { value: i }, cut(p.title, 60))));
  const states = new Set(policies.flatMap(p => p.jobs.state));
  ['any', ...states].forEach(s => state.append(element('option', { value: s === 'any' ? '' : s }, s)));

  function rows(p) {
    const list = [], needle = filter.value.trim().toLowerCase(), n = column(p, 'job_id').length;
    const texts = ['job_id', 'user', 'vc', 'model'].map(w => column(p, w));
    for (let i = 0; i < n; i++)
      if ((!state.value || p.jobs.state[i] === state.value) && (!needle || texts.some(t => t[i].toLowerCase().includes(needle)))) list.push(i);
    if (sortBy) {
      const values = column(p, sortBy), word = words.includes(sortBy);
      list.sort((a, b) => {
        const x = values[a], y = values[b];
        if (isEmpty(x) || isEmpty(y)) return isEmpty(x) - isEmpty(y) || a - b; /* what is missing comes last, either way */
        const order = word ? (x < y ? -1 : x > y ? 1 : 0) : x - y;
        return (down ? -order : order) || a - b;
      });
    }
    return list;
  }

  function show(name, v, decimals) {
    if (isEmpty(v)) return element('td', { class: words.includes(name) ? 'word none' : 'none' }, '\u2013');
    if (words.includes(name)) return element('td', { class: 'word', title: v.length > 24 ? cut(v, 2000) : null }, cut(v, 200));
    const text = name === 'deadline_met' ? (v ? 'yes' : 'no') : name === 'accuracy_final' || name === 'fairness' ? v.toFixed(3) : v.toFixed(decimals);
    return element('td', null, text);
  }

  function draw() {
    const p = policies[current], list = rows(p), last = Math.max(0, Math.ceil(list.length / perPage) - 1);
    page = Math.min(page, last);
    const names = Object.keys(titles).filter(name => column(p, name).some(v => !isEmpty(v)));
    /* As many decimals for the whole column, so that its numbers line up. */
    const decimals = names.map(name => (!words.includes(name) && column(p, name).some(v => !isEmpty(v) && !Number.isInteger(v)) ? 2 : 0));
    const head = names.map(name => {
      const button = element('button', { type: 'button' }, titles[name]);
      button.addEventListener('click', () => {
        down = sortBy === name ? !down : false;
        sortBy = name;
        page = 0;
        draw();
        byId('jobs').querySelector('th[aria-sort] button').focus();
      });
      return element('th', { scope: 'col', class: words.includes(name) ? 'word' : null, 'aria-sort': sortBy === name ? (down ? 'descending' : 'ascending') : null, 'data-column': name }, button);
    });
    byId('jobs').replaceChildren(element('thead', null, element('tr', null, ...head)),
      element('tbody', null, ...list.slice(page * perPage, (page + 1) * perPage).map(i => element('tr', null, ...names.map((name, k) => show(name, column(p, name)[i], decimals[k]))))));
    byId('jobs-count').textContent = list.length ? (page * perPage + 1) + '\u2013' + Math.min(list.length, (page + 1) * perPage) + ' of ' + list.length.toLocaleString('en') : 'no job';
    byId('jobs-back').disabled = page === 0;
    byId('jobs-on').disabled = page === last;
    const note = byId('jobs-note');
    note.replaceChildren(p.n_jobs > data.most_jobs ? 'The first ' + data.most_jobs.toLocaleString('en') + ' of ' + p.n_jobs.toLocaleString('en') + ' jobs. ' : '', 'Every job and column: ',
      p.csv ? element('a', { href: p.csv }, p.csv) : p.folder + '/jobs.csv');
  }
  picks.addEventListener('change', () => { current = Number(picks.value); page = 0; draw(); });
  state.addEventListener('change', () => { page = 0; draw(); });
  filter.addEventListener('input', () => { page = 0; draw(); });
  byId('jobs-form').addEventListener('submit', e => e.preventDefault());
  byId('jobs-back').addEventListener('click', () => { page--; draw(); });
  byId('jobs-on').addEventListener('click', () => { page++; draw(); });
  draw();
})();

(function how() {
  const quoted = word => (/^[A-Za-z0-9_.,:=\/+@%-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'");
  const commands = new Map();
  policies.forEach(p => {
    const line = p.run.command.map(quoted).join(' ');
    commands.set(line, [...(commands.get(line) || []), p.title]);
  });
  for (const [line, titles] of commands) byId('commands').append(element('p', { class: 'quiet' }, cut(titles.join(', '), 400)), element('pre', null, line));

  function flat(object, prefix, into) {
    for (const [key, v] of Object.entries(object)) {
      if (v !== null && typeof v === 'object' && !Array.isArray(v)) flat(v, prefix + key + '.', into);
      else into[prefix + key] = v === null ? '\u2013' : Array.isArray(v) ? v.join(', ') : String(v);
    }
    return into;
  }
  function table(id, each) {
    const keys = [...new Set(each.flatMap(o => Object.keys(o)))];
    const same = key => each.every(o => o[key] === each[0][key]);
    const differ = keys.some(key => !same(key));
    byId(id).append(
      element('thead', null, element('tr', null, element('th', { class: 'word', scope: 'col' }, 'key'), ...(differ ? policies.map(p => element('th', { class: 'word', scope: 'col' }, cut(p.title, 60))) : [element('th', { class: 'word', scope: 'col' }, 'value')]))),
      element('tbody', null, ...keys.map(key => element('tr', null, element('th', { class: 'word', scope: 'row' }, key),
        ...(differ && !same(key) ? each.map(o => element('td', null, cut(o[key] === undefined ? '\u2013' : o[key], 400))) : [element('td', { colspan: differ ? each.length : null }, cut(each[0][key] || '\u2013', 400))])))));
  }
  table('parameters', policies.map(p => p.run.parameters));
  table('facts', policies.map(p => flat({ version: p.run.version, seed: p.run.seed, random_generator: p.run.random_generator, workload_hash: p.run.workload_hash, oracle: p.run.oracle, trace: p.run.trace, cluster: p.run.cluster, selection: p.run.selection, horizon_s: p.run.horizon_s, options: p.run.options }, '', {})));
})();

setTheme(isDark());
/* On paper: light, and nothing folded away. */
let wasDark = false;
window.addEventListener('beforeprint', () => {
  wasDark = isDark();
  if (wasDark) setTheme(false);
  document.querySelectorAll('details').forEach(d => { d.open = true; });
});
window.addEventListener('afterprint', () => { if (wasDark) setTheme(true); });
