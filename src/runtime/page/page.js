'use strict';
const D = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);
const SVG = 'http://www.w3.org/2000/svg';
const PALETTE = ['#4c7df0', '#e8833a', '#2fa38f', '#c2559c', '#8c6bd8', '#d9a520', '#4aa3c9', '#7d9b3f', '#d65a5a', '#7a6a5d', '#3f8f55'];
const OTHER = '#8a94a6';
const color = (op) => (op >= 0 && D.ops[op].color >= 0 ? PALETTE[D.ops[op].color] : OTHER);
const LEFT = 78, RIGHT = 14, WIDTH = 1140, PLOT = WIDTH - LEFT - RIGHT;
const end = Math.max(D.end, 1e-9);
const xOf = (time) => LEFT + PLOT * Math.min(time / end, 1);

function bytes(n) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let i = 0;
  while (Math.abs(n) >= 1024 && i < units.length - 1) { n /= 1024; ++i; }
  return (i === 0 || n >= 100 ? n.toFixed(0) : n >= 10 ? n.toFixed(1) : n.toFixed(2)) + ' ' + units[i];
}
function time(s) {
  if (s === 0) return '0 s';
  if (s < 1e-3) return (s * 1e6).toFixed(0) + ' µs';
  if (s < 1) return (s * 1e3).toFixed(s < 0.01 ? 2 : s < 0.1 ? 1 : 0) + ' ms';
  if (s < 100) return s.toFixed(2) + ' s';
  if (s < 7200) return Math.floor(s / 60) + ' min ' + String(Math.floor(s % 60)).padStart(2, '0') + ' s';
  return Math.floor(s / 3600) + ' h ' + String(Math.floor((s % 3600) / 60)).padStart(2, '0') + ' min';
}
const count = (n) => n.toLocaleString('en-US');
const percent = (x) => (100 * x).toFixed(0) + ' %';

function node(name, attributes, parent, text) {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.appendChild(made);
  return made;
}
function element(name, parent, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  if (parent) parent.appendChild(made);
  return made;
}
function niceStep(range, wanted, base) {
  const raw = range / wanted;
  const power = Math.pow(base, Math.floor(Math.log(raw) / Math.log(base)));
  for (const m of base === 2 ? [1, 2] : [1, 2, 5, 10]) if (m * power >= raw * 0.999) return m * power;
  return power * base;
}
function niceTime(least) {
  for (const step of [15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800]) if (step >= least) return step;
  return 86400 * Math.ceil(least / 86400);
}
function tip(event, text) {
  const box = $('tip');
  box.hidden = text === '';
  box.textContent = text;
  box.style.left = Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8) + 'px';
  box.style.top = Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8) + 'px';
}
/// A chart over the time of the run: axis, grid, and one cursor shared by all charts.
const cursors = [];
function chart(id, height, describe) {
  const svg = node('svg', {viewBox: `0 0 ${WIDTH} ${height + 24}`, role: 'img'}, $(id));
  const step = end > 90 ? niceTime(end / 8) : niceStep(end, 8, 10);
  for (let t = 0; t <= end * 1.0001; t += step) {
    node('line', {x1: xOf(t), x2: xOf(t), y1: 0, y2: height, class: 'grid'}, svg);
    if (xOf(t) < WIDTH - 30) node('text', {x: xOf(t), y: height + 16, 'text-anchor': 'middle'}, svg, time(t));
  }
  const content = node('g', {}, svg);
  node('line', {x1: LEFT, x2: WIDTH - RIGHT, y1: height, y2: height, class: 'axis'}, svg);
  const cursor = node('line', {y1: 0, y2: height, class: 'cursor', visibility: 'hidden'}, svg);
  cursors.push(cursor);
  svg.addEventListener('mousemove', (event) => {
    const frame = svg.getBoundingClientRect();
    const x = (event.clientX - frame.left) * WIDTH / frame.width, y = (event.clientY - frame.top) * WIDTH / frame.width;
    const inside = x >= LEFT && x <= WIDTH - RIGHT && y <= height;
    for (const line of cursors) {
      line.setAttribute('visibility', inside ? 'visible' : 'hidden');
      line.setAttribute('x1', x); line.setAttribute('x2', x);
    }
    tip(event, inside ? describe((x - LEFT) / PLOT * end, y) : '');
  });
  svg.addEventListener('mouseleave', (event) => { tip(event, ''); for (const line of cursors) line.setAttribute('visibility', 'hidden'); });
  return content;
}
function yAxis(content, height, top, step, label) {
  for (let v = 0; v <= top; v += step) {
    const y = height - height * v / top;
    node('line', {x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y, class: 'grid'}, content);
    node('text', {x: LEFT - 8, y: Math.max(y + 4, 9), 'text-anchor': 'end'}, content, label(v));
  }
}
/// Stacked steps: rows of values per bin, drawn from the bottom up.
function stack(content, rows, binWidth, y) {
  const base = new Array(rows.length ? rows[0].values.length : 0).fill(0);
  for (const row of rows) {
    let up = '', down = '';
    for (let i = 0; i < base.length; ++i) {
      const x0 = xOf(i * binWidth).toFixed(1), x1 = xOf((i + 1) * binWidth).toFixed(1);
      const low = y(base[i]).toFixed(1);
      base[i] += row.values[i];
      up += `${i ? 'L' : 'M'}${x0} ${y(base[i]).toFixed(1)}H${x1}`;
      down = `L${x1} ${low}H${x0}` + down;
    }
    node('path', {d: up + down + 'Z', fill: row.fill}, content);
  }
}
const binAt = (t) => Math.min(Math.floor(t / D.bin), D.bins - 1);

function drawHead() {
  const f = D.finish;
  $('status').textContent = f ? 'finished' : 'not finished';
  if (!f) {
    $('status').className = 'bad';
    $('warning').hidden = false;
    $('warning').textContent = 'The history ends without a final report: the run failed, was stopped, or is still running. What follows is what was written until then' + (D.cut ? '; its last line was cut short and is left out.' : '.');
  }
  const tiles = [[time(D.end), f ? 'wall time' : 'until the last line', 'end', D.end], [count(D.tasks) + (f ? '' : ' of ' + count(D.total_tasks)), 'tasks', 'tasks', D.tasks],
    [bytes(D.peak_held), `peak memory, of ${bytes(D.budget)} (${percent(D.peak_held / Math.max(D.budget, 1))})`, 'peak_held', D.peak_held],
    [bytes(D.read), 'read', 'read', D.read], [bytes(D.written), 'written', 'written', D.written],
    [time(D.busy), 'task time, summed', 'busy', D.busy]];
  if (f) {
    tiles.push([percent(f.memory_time_used), 'of budget × time in use', 'memory_time_used', f.memory_time_used]);
    tiles.push([count(f.workers_started), 'workers started' + (f.workers_lost ? `, ${count(f.workers_lost)} lost` : ''), 'workers_started', f.workers_started]);
    if (f.retries) tiles.push([count(f.retries), 'tasks run again', 'retries', f.retries]);
    if (f.block_grants) tiles.push([percent(f.block_reuses / f.block_grants), 'of chunk memory reused', 'block_reuses', f.block_reuses]);
  }
  for (const [big, small, key, value] of tiles) {
    const tile = element('div', $('tiles'), undefined, 'tile');
    const b = element('b', tile, big);
    b.dataset.key = key; b.dataset.value = value;
    element('span', tile, small);
  }
}
function drawWorkers() {
  const lanes = D.lanes, row = lanes.length <= 12 ? 24 : lanes.length <= 40 ? 14 : lanes.length <= 100 ? 7 : 4;
  const height = Math.max(lanes.length * row, row);
  const exact = D.details.length > 0 || D.tasks === 0;
  $('workers-note').textContent = (exact ? 'Every task on its worker.' : `${count(D.tasks)} tasks on ${count(lanes.length)} workers; each column is ${time(D.lane_bin)}, coloured by the operation that took most of it, paler the more the worker waited.`) +
    (D.tasks_without_lane ? ` ${count(D.tasks_without_lane)} tasks of further workers are not drawn.` : '');
  const seen = D.ops.filter((op) => op.tasks > 0 && op.color >= 0);
  for (const op of seen) {
    const item = element('span', $('legend'));
    element('i', item).style.background = color(op.index);
    item.append(op.name);
  }
  if (D.ops.some((op) => op.tasks > 0 && op.color < 0)) { const item = element('span', $('legend')); element('i', item).style.background = OTHER; item.append('other'); }
  const cell = (lane, bin) => ({op: D.lane_ops[lane][bin], share: D.lane_shares[lane].charCodeAt(bin) - 48});
  const content = chart('workers', height, (t, y) => {
    const lane = Math.min(Math.floor(y / row), lanes.length - 1);
    if (lane < 0) return '';
    const head = `worker ${lanes[lane].worker}: ${count(lanes[lane].tasks)} tasks, busy ${percent(lanes[lane].busy / end)}`;
    if (exact) {
      const d = D.details.find((x) => x[1] === lane && x[2] <= t && t <= x[3]);
      if (!d) return head + '\nidle at ' + time(t);
      return `${D.ops[d[0]].name}, task ${count(d[4])}\n${time(d[3] - d[2])} from ${time(d[2])}, CPU ${time(d[5])}, ${d[8]} thread${d[8] > 1 ? 's' : ''}\nprojected ${bytes(d[6])}, measured ${bytes(d[7])}\n${head}`;
    }
    const c = cell(lane, Math.min(Math.floor(t / D.lane_bin), D.lane_bins - 1));
    return head + `\nat ${time(t)}: ` + (c.op < 0 ? 'idle' : `${D.ops[c.op].name}, ${c.share * 100 / 9 | 0} % busy`);
  });
  const paths = new Map();
  const rect = (lane, from, to, fill, opacity, gap) => {
    const key = fill + '/' + opacity;
    const x = xOf(from), w = Math.max(xOf(to) - x - gap, 0.5);
    paths.set(key, (paths.get(key) || '') + `M${x.toFixed(2)} ${lane * row + 1}h${w.toFixed(2)}v${row - Math.min(row / 4, 3)}h-${w.toFixed(2)}z`);
  };
  if (exact) {
    for (const d of D.details) if (d[1] >= 0) rect(d[1], d[2], d[3], color(d[0]), 1, D.details.length < 1500 ? 0.6 : 0.2);
  } else {
    for (let lane = 0; lane < lanes.length; ++lane)
      for (let b = 0; b < D.lane_bins;) {
        const c = cell(lane, b);
        let to = b + 1;
        while (to < D.lane_bins && cell(lane, to).op === c.op && cell(lane, to).share === c.share) ++to;
        if (c.op >= 0) rect(lane, b * D.lane_bin, to * D.lane_bin, color(c.op), (0.25 + 0.75 * c.share / 9).toFixed(2), 0);
        b = to;
      }
  }
  for (const [key, d] of paths) { const [fill, opacity] = key.split('/'); node('path', {d, fill, 'fill-opacity': opacity}, content); }
  const every = Math.ceil(14 / row);
  for (let i = 0; i < lanes.length; i += every) node('text', {x: LEFT - 8, y: i * row + Math.max(row / 2 + 4, 9), 'text-anchor': 'end'}, content, row > 12 ? 'worker ' + lanes[i].worker : lanes[i].worker);
}
function drawMemory() {
  const height = 220, m = D.memory;
  const kinds = [['processes', 'processes, idle'], ['cached', 'freed chunks, kept for reuse'], ['resident', 'resident chunks'], ['granted', 'granted to tasks']];
  for (const [key, label] of kinds.concat([['budget', 'budget'], ['ink', 'measured']])) {
    const item = element('span', $('memory-legend'));
    element('i', item).style.background = `var(--${key})`;
    item.append(label);
  }
  const top = Math.max(D.budget, D.peak_held, ...m.measured, ...m.budget, 1) * 1.06;
  const y = (v) => height - height * v / top;
  const content = chart('memory', height, (t) => {
    const i = binAt(t);
    return `at ${time(t)}\nheld ${bytes(kinds.reduce((s, [k]) => s + m[k][i], 0))} of ${bytes(m.budget[i])}\n` +
      kinds.map(([k, label]) => `${label}: ${bytes(m[k][i])}`).reverse().join('\n') + `\nmeasured: ${bytes(m.measured[i])}`;
  });
  yAxis(content, height, top, niceStep(top, 5, 2), bytes);
  stack(content, kinds.map(([key]) => ({values: m[key], fill: `var(--${key})`})), D.bin, y);
  const line = (values) => values.map((v, i) => `${i ? 'L' : 'M'}${xOf(i * D.bin).toFixed(1)} ${y(v).toFixed(1)}H${xOf((i + 1) * D.bin).toFixed(1)}`).join('');
  node('path', {d: line(m.measured), fill: 'none', stroke: 'var(--ink)', 'stroke-width': 1.4}, content);
  node('path', {d: line(m.budget), fill: 'none', stroke: 'var(--budget)', 'stroke-width': 1.6, 'stroke-dasharray': '6 4'}, content);
}
function drawWidth() {
  const height = 150;
  const totals = new Array(D.bins).fill(0);
  for (const row of D.width) row.values.forEach((v, i) => { totals[i] += v; });
  const top = Math.max(...totals, 1) * 1.08, y = (v) => height - height * v / top;
  const name = (op) => (op < 0 ? 'other' : D.ops[op].name);
  const content = chart('width', height, (t) => {
    const i = binAt(t);
    return `at ${time(t)}\n${totals[i].toFixed(1)} tasks at once\n` + D.width.filter((r) => r.values[i] > 0).map((r) => `${name(r.op)}: ${r.values[i].toFixed(1)}`).join('\n');
  });
  yAxis(content, height, top, Math.max(niceStep(top, 4, 10), 1), count);
  stack(content, D.width.map((row) => ({values: row.values, fill: color(row.op)})), D.bin, y);
}
function drawOps() {
  const columns = [['tasks', (o) => count(o.tasks) + (o.planned && o.tasks !== o.tasks_planned ? ' of ' + count(o.tasks_planned) : ''), 'tasks'],
    ['width', (o) => (o.planned ? count(o.width_planned) : '–'), 'width_planned'], ['seen', (o) => (o.width ? count(o.width) : '–'), 'width'],
    ['projected', (o) => bytes(o.projected), 'projected'], ['measured', (o) => bytes(o.measured), 'measured'],
    ['ratio', (o) => (o.projected ? (o.measured / o.projected).toFixed(2) : '–'), 'ratio'],
    ['task time', (o) => time(o.busy), 'busy'], ['mean', (o) => (o.tasks ? time(o.busy / o.tasks) : '–'), 'mean'],
    ['CPU', (o) => (o.busy ? percent(o.cpu / o.busy) : '–'), 'cpu'], ['wall', (o) => time(o.last_end - o.first_start), 'wall'],
    ['read', (o) => bytes(o.read), 'read'], ['written', (o) => bytes(o.written), 'written'], ['faults', (o) => count(o.minor_faults), 'minor_faults']];
  const head = element('tr', element('thead', $('ops')));
  element('th', head, 'operation');
  for (const [title] of columns) element('th', head, title);
  const body = element('tbody', $('ops'));
  for (const op of D.ops) {
    const row = element('tr', body);
    row.dataset.op = op.name;
    const first = element('td', row);
    first.title = op.name;
    element('i', first).style.background = color(op.index);
    first.append(op.name);
    for (const [, show, key] of columns) {
      const cell = element('td', row, show(op));
      cell.dataset.key = key;
      if (op[key] !== undefined) cell.dataset.value = op[key];
      if (key === 'ratio' && op.measured > op.projected) cell.className = 'over';
    }
  }
  const left = D.op_count - D.ops.length;
  $('ops-note').textContent = 'Projected and measured: of the largest task.' + (left ? ` The ${count(left)} least busy operations are left out.` : '');
}
function drawPlan() {
  const ops = D.ops.filter((o) => o.planned).slice(0, 200), byName = new Map(ops.map((o) => [o.name, o]));
  const columns = [], W = 210, H = 66, GX = 60, GY = 18;
  for (const op of ops) {
    op.column = Math.max(-1, ...op.after.filter((n) => byName.has(n)).map((n) => (byName.get(n).column ?? -1))) + 1;
    (columns[op.column] = columns[op.column] || []).push(op);
  }
  const rows = Math.max(1, ...columns.map((c) => c.length)), height = rows * (H + GY), width = Math.max(columns.length * (W + GX) - GX + 2, 10);
  const svg = node('svg', {width, height, viewBox: `0 0 ${width} ${height}`, role: 'img'}, $('plan'));
  columns.forEach((column, c) => column.forEach((op, r) => { op.x = c * (W + GX) + 1; op.y = (height - column.length * (H + GY)) / 2 + r * (H + GY) + GY / 2; }));
  for (const op of ops) for (const from of op.after) {
    const a = byName.get(from);
    if (!a) continue;
    const x0 = a.x + W, y0 = a.y + H / 2, x1 = op.x, y1 = op.y + H / 2, mid = Math.max((x1 - x0) / 2, 30);
    node('path', {d: `M${x0} ${y0}C${x0 + mid} ${y0} ${x1 - mid} ${y1} ${x1} ${y1}`, class: 'edge'}, svg);
  }
  const cut = (text, n) => (text.length > n ? text.slice(0, n - 1) + '…' : text);
  for (const op of ops) {
    const g = node('g', {'data-node': op.name}, svg);
    node('rect', {x: op.x, y: op.y, width: W, height: H, rx: 7, class: 'box'}, g);
    node('rect', {x: op.x, y: op.y + 6, width: 4, height: H - 12, rx: 2, fill: color(op.index)}, g);
    node('text', {x: op.x + 14, y: op.y + 20, class: 'strong'}, g, cut(op.name, 26));
    node('text', {x: op.x + 14, y: op.y + 37}, g, cut(`${op.kind}, ${count(op.tasks_planned)} task${op.tasks_planned === 1 ? '' : 's'} of ${bytes(op.projected_planned)}`, 34));
    node('text', {x: op.x + 14, y: op.y + 54}, g, cut(op.fused.join(' ') + (op.spilled ? ` spills ${bytes(op.spilled)}` : ''), 32));
    g.addEventListener('mousemove', (event) => tip(event, `${op.name} (${op.kind})\n${count(op.tasks_planned)} tasks, ${count(op.width_planned)} wide, ${bytes(op.projected_planned)} a task` + (op.spilled ? `\nspills ${bytes(op.spilled)} to the scratch file` : '') + (op.after.length ? `\nafter ${op.after.join(', ')}` : '') + (op.fused.length ? `\none pass computes: ${op.fused.join(' ')}` : '')));
    g.addEventListener('mouseleave', (event) => tip(event, ''));
  }
  if (D.ops.length > ops.length) element('p', $('plan'), `${count(ops.length)} operations are drawn.`, 'note');
}
function drawNotices() {
  if (!D.notices.length) return;
  $('notices').hidden = false;
  const list = $('notices').querySelector('ul');
  for (const [t, text] of D.notices) element('li', list, `${time(t)}  ${text}`);
  if (D.notices_left_out) element('li', list, `and ${count(D.notices_left_out)} more`);
}
for (const draw of [drawHead, drawWorkers, drawMemory, drawWidth, drawOps, drawPlan, drawNotices]) draw();
document.documentElement.dataset.drawn = 'whole';
