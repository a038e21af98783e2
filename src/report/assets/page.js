// Replaces the still pictures of the page by live ones: tooltips, zoom, the width of the screen.
// Without Vega, or without JavaScript, the still ones stay. All texts are set as text, never as HTML.
(function () {
  'use strict';
  const vega = window.ggpmVega;
  const tip = document.createElement('div');
  tip.id = 'tip';
  tip.setAttribute('role', 'status');
  tip.hidden = true;
  document.body.append(tip);

  function number(value) {
    if (value === null || value === undefined) return '–';
    return typeof value === 'number' ? String(Number(value.toPrecision(4))) : String(value);
  }

  function showTip(lines, event) {
    tip.replaceChildren(...lines.map((line) => {
      const row = document.createElement('div');
      row.textContent = line;
      return row;
    }));
    tip.hidden = false;
    const box = tip.getBoundingClientRect(), gap = 14;
    const left = event.clientX + gap + box.width > innerWidth ? event.clientX - gap - box.width
                                                              : event.clientX + gap;
    tip.style.left = Math.max(4, left) + 'px';
    tip.style.top = Math.max(4, Math.min(event.clientY + gap, innerHeight - box.height - 4)) + 'px';
  }
  const hideTip = () => { tip.hidden = true; };

  // A place on an axis in words: a number, or the name of a category.
  const place = (names, value) => names && names.length ? names[Math.round(value)] : number(value);

  function linesOfItem(words, names, layer, mark, d) {
    const out = d.label ? [d.label] : [];
    if (mark === 'rect') {
      const wide = (d.x + d.x2) / 2, high = (d.y + d.y2) / 2;
      out.push(words.x + ': ' + (names.x.length ? place(names.x, wide)
                                                : number(d.x) + ' … ' + number(d.x2)));
      if (d.v === undefined)
        out.push(words.y + ': ' + (names.y.length ? place(names.y, high) : number(d.y2)));
      else if (d.y !== 0 || names.y.length)
        out.push(words.y + ': ' + place(names.y, high));
    } else {
      out.push(words.x + ': ' + place(names.x, d.x), words.y + ': ' + place(names.y, d.y));
    }
    if (d.v !== undefined) out.push(layer.value + ': ' + number(d.v));
    return out;
  }

  // What lines and bands say at the x under the pointer.
  function linesOfCurves(words, names, spec, x) {
    const out = [];
    spec.data.forEach((data, k) => {
      const type = spec.marks[k].type, name = words.layers[k].name;
      if ((type !== 'line' && type !== 'area') || !name || data.values.length < 3) return;
      let nearest = null;
      for (const row of data.values)
        if (row.x !== null && (!nearest || Math.abs(row.x - x) < Math.abs(nearest.x - x))) nearest = row;
      if (!nearest) return;
      if (!out.length) out.push(words.x + ': ' + number(nearest.x));
      out.push(name + ': ' + place(names.y, nearest.y) + (type === 'area' ? ' … ' + place(names.y, nearest.y2) : ''));
    });
    return out;
  }

  function button(text, label, action) {
    const out = document.createElement('button');
    out.type = 'button';
    out.textContent = text;
    out.setAttribute('aria-label', label);
    out.title = label;
    out.addEventListener('click', action);
    return out;
  }

  function zoomable(figure, view, spec) {
    const home = {x: view.signal('xdom'), y: view.signal('ydom')};
    const svg = () => figure.querySelector('.picture svg');
    const inside = (event) => {
      const box = svg().getBoundingClientRect(), origin = view.origin();
      return [event.clientX - box.left - origin[0], event.clientY - box.top - origin[1]];
    };
    const size = () => [view.scale('x').range()[1], view.scale('y').range()[0]];
    const show = (x, y) => { view.signal('xdom', x).signal('ydom', y).run(); hideTip(); };
    const reset = () => show(home.x, home.y);
    const scaleBy = (factor) => {
      const x = view.scale('x'), width = size()[0], cut = width * (1 - factor) / 2;
      show([x.invert(cut), x.invert(width - cut)], view.signal('ydom'));
    };

    let start = null;
    const frame = document.createElement('div');
    frame.className = 'select';
    const picture = figure.querySelector('.picture');
    picture.append(frame);
    picture.addEventListener('mousedown', (event) => {
      const at = inside(event), limit = size();
      if (event.button === 0 && at[0] >= 0 && at[0] <= limit[0] && at[1] >= 0 && at[1] <= limit[1]) {
        start = {at, event};
        event.preventDefault();
      }
    });
    addEventListener('mousemove', (event) => {
      if (!start) return;
      hideTip();
      const box = picture.getBoundingClientRect(), from = start.event;
      Object.assign(frame.style, {
        display: 'block',
        left: Math.min(event.clientX, from.clientX) - box.left + 'px',
        top: Math.min(event.clientY, from.clientY) - box.top + 'px',
        width: Math.abs(event.clientX - from.clientX) + 'px',
        height: Math.abs(event.clientY - from.clientY) + 'px',
      });
    });
    addEventListener('mouseup', (event) => {
      if (!start) return;
      frame.style.display = 'none';
      const a = start.at, b = inside(event), limit = size();
      start = null;
      const cut = (k) => [Math.max(0, Math.min(a[k], b[k])), Math.min(limit[k], Math.max(a[k], b[k]))];
      const [x1, x2] = cut(0), [y1, y2] = cut(1);
      if (x2 - x1 < 8) return;
      const x = view.scale('x'), y = view.scale('y');
      show([x.invert(x1), x.invert(x2)],
           y2 - y1 < 16 ? view.signal('ydom') : [y.invert(y2), y.invert(y1)]);
    });
    picture.addEventListener('dblclick', reset);
    const bar = document.createElement('div');
    bar.className = 'tools';
    bar.append(button('+', 'Zoom in', () => scaleBy(0.5)), button('−', 'Zoom out', () => scaleBy(2)),
               button('Reset', 'Show everything', reset));
    figure.querySelector('h4').after(bar);

    const words = spec.usermeta;
    const names = {x: view.signal('xnames'), y: view.signal('ynames')};
    view.addEventListener('mousemove', (event, item) => {
      if (start) return;
      const layer = item && item.mark && /^layer\d+$/.exec(item.mark.name || '');
      const type = layer && item.mark.marktype;
      const lines = type === 'symbol' || type === 'rect'
          ? linesOfItem(words, names, words.layers[+item.mark.name.slice(5)], type, item.datum)
          : linesOfCurves(words, names, spec, view.scale('x').invert(inside(event)[0]));
      if (lines.length) showTip(lines, event); else hideTip();
    });
    picture.addEventListener('mouseleave', hideTip);
  }

  async function draw(figure) {
    const spec = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
    const picture = figure.querySelector('.picture');
    const runtime = vega.parse(spec, null, {ast: true});
    const live = document.createElement('div');
    const view = new vega.View(runtime, {
      renderer: 'svg', container: live, hover: false, expr: vega.expressionInterpreter,
      logLevel: 1,
    });
    const width = () => Math.floor(picture.clientWidth);
    const resize = () => {
      view.width(width());
      if (spec.usermeta.aspect) view.height(Math.min(480, width() * spec.usermeta.aspect));
    };
    resize();
    await view.runAsync();
    picture.replaceChildren(live);
    const svg = live.querySelector('svg');
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', spec.description);
    zoomable(figure, view, spec);
    let seen = width();
    new ResizeObserver(() => {
      if (width() === seen || width() === 0) return;
      seen = width();
      resize();
      view.runAsync();
    }).observe(picture);
    figure.dataset.live = 'yes';
  }

  addEventListener('scroll', hideTip, {passive: true});
  addEventListener('keydown', (event) => { if (event.key === 'Escape') hideTip(); });
  // Folded tables are printed too.
  const folded = Array.from(document.querySelectorAll('details'));
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = folded.filter((d) => !d.open);
    opened.forEach((d) => { d.open = true; });
  });
  addEventListener('afterprint', () => opened.forEach((d) => { d.open = false; }));

  if (!vega) return;
  Promise.all(Array.from(document.querySelectorAll('figure'), (figure) => draw(figure)))
      .then(() => { document.documentElement.dataset.ready = 'yes'; });
})();
