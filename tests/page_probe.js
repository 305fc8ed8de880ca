/* tests/page_probe.js -- put behind a report page by tests/sh/report.sh: does what a reader would and says what came of it. */
'use strict';
(async function probe() {
  const said = [];
  const check = (name, good) => said.push((good ? 'ok ' : 'NOT OK ') + name);
  const cells = column => {
    const heads = [...document.querySelectorAll('#jobs thead th')], at = heads.findIndex(h => h.dataset.column === column);
    return [...document.querySelectorAll('#jobs tbody tr')].map(r => r.children[at].textContent);
  };
  const drawn = () => new Promise(done => setTimeout(done, 50)); /* uPlot draws when the script is done */
  const sortBy = column => document.querySelector('#jobs th[data-column="' + column + '"] button').click();
  try {
    check('a curve for each policy', policies.length > 0 && charts.every(c => c.plot.series.length === policies.length + 1));
    check('the last share is 1', policies.every(p => !p.cdf_y.length || p.cdf_y[p.cdf_y.length - 1] === 1));
    check('the drawn curves end at 100 %', charts[0].plot.data.slice(1).every(d => d[d.length - 1] === 100));
    check('pictures were drawn', [...document.querySelectorAll('canvas')].every(c => c.width > 100 && c.height > 50));
    check('a row for each policy', document.querySelectorAll('#summary tbody tr').length === policies.length);

    sortBy('jct_s');
    const up = cells('jct_s').map(Number);
    check('sorted upwards', up.length > 1 && up.every((v, i) => i === 0 || up[i - 1] <= v));
    check('the header says so', document.querySelector('#jobs th[data-column="jct_s"]').getAttribute('aria-sort') === 'ascending');
    check('the header keeps the keyboard', document.activeElement === document.querySelector('#jobs th[data-column="jct_s"] button'));
    sortBy('jct_s');
    const down = cells('jct_s').map(Number);
    check('sorted downwards', down.every((v, i) => i === 0 || down[i - 1] >= v) && down[0] >= up[up.length - 1]);
    sortBy('job_id');

    const legend = [...document.querySelectorAll('#legend button')];
    legend[0].click();
    check('the legend hides a curve', legend[0].getAttribute('aria-pressed') === 'false' && charts.every(c => c.plot.series[1].show === false));
    legend[0].click();
    check('the legend shows it again', charts.every(c => c.plot.series[1].show === true));

    charts[0].plot.setScale('x', { min: 10, max: 100 });
    byId('cdf-reset').click();
    await drawn();
    charts[0].plot.setCursor({ left: 100, top: 50 });
    check('the curves can be read', document.querySelectorAll('#cdf-read span:not(.swatch)').length === policies.length);

    const press = k => byId('cdf').dispatchEvent(new KeyboardEvent('keydown', { key: k, cancelable: true }));
    const at = charts[0].plot.cursor.idx, wide = charts[0].plot.scales.x.max;
    press('ArrowRight');
    await drawn();
    check('the arrow keys read on', charts[0].plot.cursor.idx > at);
    press('+');
    await drawn();
    check('plus zooms', charts[0].plot.scales.x.max < wide);
    press('0');
    await drawn();
    check('0 shows the whole range', charts[0].plot.scales.x.max === wide);

    const filter = byId('jobs-filter');
    filter.value = '<script>';
    filter.dispatchEvent(new Event('input'));
    const hits = cells('job_id');
    check('a name of markup is text', hits.length === 0 || hits.every(h => h.includes('<script>')));
    said.push('markup jobs ' + hits.length);
    filter.value = 'no job has this in it';
    filter.dispatchEvent(new Event('input'));
    check('nothing found is said', cells('job_id').length === 0 && byId('jobs-count').textContent === 'no job');
    filter.value = '';
    filter.dispatchEvent(new Event('input'));
    check('no element came from a name', !document.querySelector('main script, main b.evil, main img') && window.evil === undefined);

    const before = document.documentElement.dataset.theme;
    byId('theme').click();
    check('dark and light', document.documentElement.dataset.theme !== before && charts.every(c => c.plot));
    check('parameters are told', Object.keys(policies[0].run.parameters || {}).length === document.querySelectorAll('#parameters tbody tr').length);
    check('command lines are told', document.querySelectorAll('#commands pre').length > 0);
    check('every control has a name', [...document.querySelectorAll('button, select, input')].every(c => c.textContent.trim() || (c.labels && c.labels.length)));
    check('nothing is wider than the window', document.documentElement.scrollWidth <= window.innerWidth);
    check('nothing is loaded from elsewhere', performance.getEntriesByType('resource').length === 0);
  } catch (e) { said.push('NOT OK threw ' + e); }
  const place = document.createElement('pre');
  place.id = 'probe';
  place.textContent = said.join('\n');
  document.body.append(place);
})();
