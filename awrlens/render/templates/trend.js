"use strict";
// The page has its numbers once; charts are drawn when they become visible, or when a browser is idle.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const PAGE = 100, DAYS = 31, COLOURS = ["--c0", "--c1", "--c4", "--c5", "--c2", "--c3"];
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const two = (n) => String(n).padStart(2, "0");
  // reports have no time zone: hours are shown as in the report
  const day = (t) => { const d = new Date(t * 1000); return `${d.getUTCFullYear()}-${two(d.getUTCMonth() + 1)}-${two(d.getUTCDate())}`; };
  const clock = (t) => { const d = new Date(t * 1000); return `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}`; };
  const moment = (t) => `${day(t)} ${clock(t)}`;
  const span = (a, b) => `${moment(a)} to ${day(a) === day(b) ? clock(b) : moment(b)}`;
  const digits = (v) => v.toLocaleString("en-US", { maximumSignificantDigits: Math.abs(v) >= 1000 ? 21 : 4, maximumFractionDigits: Math.abs(v) >= 1000 ? 0 : undefined });
  const brief = (v) => {
    let i = 0;
    while (Math.abs(v) >= 999.5 && i < 5) { v /= 1000; i += 1; }
    return Number(v.toPrecision(3)) + ["", "K", "M", "G", "T", "P"][i];
  };
  const facts = new Map(data.facts.map((fact) => [fact.name, fact]));

  // charts -----------------------------------------------------------------------------------
  // where the line of a series is drawn, and where it is broken
  const points = (series, values) => {
    const xs = [], ys = [];
    const broken = new Map(series.breaks.map(([begin, end]) => [end, (begin + end) / 2]));
    series.begin.forEach((begin, n) => {
      if (broken.has(begin)) { xs.push(broken.get(begin)); ys.push(null); }
      xs.push((begin + series.end[n]) / 2);
      ys.push(values[n]);
    });
    return [xs, ys];
  };

  let zoom = null;             // [from, to] of all charts; null: everything
  const drawn = new Set();
  const whole = (u) => [u.data[0][0], u.data[0][u.data[0].length - 1]];
  const show = (u) => {
    let [min, max] = zoom ?? whole(u);
    u.setScale("x", { min, max });
  };
  const zoomTo = (range) => { zoom = range; for (const u of drawn) show(u); };

  const mark = (series, name, at) => (u) => {
    const { ctx } = u, ratio = devicePixelRatio, { left, top, width, height } = u.bbox;
    ctx.save();
    ctx.beginPath(); ctx.rect(left, top, width, height); ctx.clip();
    ctx.lineWidth = ratio;
    ctx.strokeStyle = css("--dim");
    ctx.setLineDash([4 * ratio, 3 * ratio]);
    for (const each of series) for (const [, , restart] of each.breaks) {
      if (restart === null) continue;
      const x = u.valToPos(restart, "x", true);
      ctx.beginPath(); ctx.moveTo(x, top); ctx.lineTo(x, top + height); ctx.stroke();
    }
    ctx.setLineDash([]);
    ctx.strokeStyle = css("--warning"); ctx.lineWidth = 2 * ratio;
    for (const each of series) for (const [fact, at] of each.changes) {
      if (fact !== name) continue;
      const x = u.valToPos(at, "x", true);
      ctx.beginPath(); ctx.moveTo(x, top); ctx.lineTo(x, top + height); ctx.stroke();
    }
    ctx.lineWidth = ratio;
    // a thin line joins the points on both sides of a gap, unless days are without data
    series.forEach((each, s) => {
      if (!u.series[s + 1].show) return;
      let before = null, gap = false, until = 0;
      ctx.strokeStyle = css(COLOURS[s % COLOURS.length]); ctx.globalAlpha = .45;
      each.begin.forEach((begin, n) => {
        const value = each.values[name][n];
        gap ||= value === null || each.breaks.some(([, end]) => end === begin);
        if (value === null) return;
        const point = [u.valToPos((begin + each.end[n]) / 2, "x", true), u.valToPos(value, "y", true)];
        if (gap && before && begin - until <= 86400) { ctx.beginPath(); ctx.moveTo(...before); ctx.lineTo(...point); ctx.stroke(); }
        before = point; gap = false; until = each.end[n];
      });
      ctx.globalAlpha = 1;
    });
    series.forEach((each, s) => {
      const found = each.outliers[name] ?? {};
      if (!u.series[s + 1].show) return;
      for (const [n, bad] of Object.entries(found)) {
        const x = u.valToPos((each.begin[n] + each.end[n]) / 2, "x", true);
        const y = u.valToPos(each.values[name][n], "y", true);
        ctx.beginPath(); ctx.arc(x, y, (bad ? 5 : 3.5) * ratio, 0, 2 * Math.PI);
        ctx.strokeStyle = ctx.fillStyle = css(bad > 1 ? "--critical" : "--dim");
        if (bad) ctx.fill(); else ctx.stroke();
      }
    });
    // the interval of the headline, with its value at the side that has room
    const n = series[0].begin.indexOf(at), value = series[0].values[name][n] ?? null;
    if (value !== null) {
      const x = u.valToPos((at + series[0].end[n]) / 2, "x", true), y = u.valToPos(value, "y", true), half = 6 * ratio;
      const late = x > left + width / 2;
      ctx.strokeStyle = ctx.fillStyle = css("--fg"); ctx.lineWidth = 2 * ratio;
      ctx.strokeRect(x - half, y - half, 2 * half, 2 * half);
      ctx.font = `${12 * ratio}px sans-serif`; ctx.textAlign = late ? "right" : "left"; ctx.textBaseline = "middle";
      ctx.fillText(`${moment(at)}: ${digits(value)}`, x + (late ? -2 : 2) * half, Math.max(top + half, Math.min(top + height - half, y)));
    }
    ctx.restore();
  };

  const draw = (figure) => {
    const name = figure.dataset.fact, place = figure.querySelector(".canvas");
    const height = figure.classList.contains("load") ? 120 : 230;
    const series = figure.dataset.series.split(",").map((n) => data.series[n]).filter((s) => s.values[name]);
    // the usual value is drawn for one instance only; for several it would hide the lines
    const usual = series.length === 1 && series[0].usual[name].some((v) => v !== null);
    const columns = series.map((each) => points(each, each.values[name]));
    if (usual) columns.push(points(series[0], series[0].usual[name]));
    // a logarithmic axis has lines at powers of ten only
    const tens = (u, ticks) => logarithmic ? ticks.map((v) => v === null || Math.abs(Math.log10(v) % 1) > 1e-9 ? null : v) : ticks;
    const axis = (filter) => ({ stroke: () => css("--dim"), grid: { stroke: () => css("--line"), width: 1, ...filter }, ticks: { stroke: () => css("--line"), width: 1, ...filter } });
    // an axis that reaches a hundred times the median is logarithmic, unless the reader prefers a linear one
    const known = series.flatMap((each) => each.values[name].filter((v) => v !== null)).sort((a, b) => a - b);
    const wide = known[0] > 0 && known[known.length - 1] > 100 * known[known.length >> 1];
    const scale = figure.querySelector("button.scale");
    scale.hidden = !wide;
    const logarithmic = wide && figure.dataset.scale !== "linear";
    scale.textContent = logarithmic ? "Linear axis" : "Logarithmic axis";
    scale.onclick = () => {
      figure.dataset.scale = logarithmic ? "linear" : "log";
      drawn.delete(chart); chart.destroy(); draw(figure);
    };
    const few = Math.max(...series.map((each) => each.begin.length)) <= 150;
    const options = {
      width: place.clientWidth, height,
      tzDate: (t) => uPlot.tzDate(new Date(t * 1000), "Etc/UTC"),
      legend: { live: true },
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false },
        // the pointer is shared; zoom is shared by setSelect below
        sync: { key: "trend", scales: ["x", null], filters: { pub: (type) => type === "mousemove" || type === "mouseleave", sub: () => true } },
        bind: { dblclick: () => () => { zoomTo(null); return null; } },
      },
      scales: { x: { range: (u, min, max) => {
        if (zoom) return [min, max];
        const edge = (max - min) / 50 || 3600;      // no point is cut
        return [min - edge, max + edge];
      } }, y: logarithmic ? { distr: 3, log: 10 } : { range: (u, min, max) => min === null ? [0, 1] : uPlot.rangeNum(Math.min(0, min), max || 1, 0.1, true) } },
      axes: [{ ...axis(), values: (u, ticks, a, space, step) => ticks.map((t, n) => step >= 86400 * 28 ? day(t).slice(0, 7) : step >= 86400 ? day(t).slice(5) : clock(t) + (n === 0 || clock(t) === "00:00" ? `\n${day(t).slice(5)}` : "")) }, { ...axis({ filter: tens }), size: 60, values: (u, ticks) => tens(u, ticks).map((v) => v === null ? "" : brief(v)) }],
      series: [
        { label: "time", value: (u, t) => t === null ? "" : moment(t) },
        ...series.map((each, n) => ({
          label: each.label, stroke: () => css(COLOURS[n % COLOURS.length]), width: 1.5,
          points: few ? { show: true, size: 5 } : {},
          value: (u, v) => v === null || v === undefined ? "" : digits(v),
        })),
        ...(usual ? [{
          label: "usual (median)", stroke: () => css("--dim"), width: 1, dash: [3, 3], points: { show: false },
          value: (u, v) => v === null || v === undefined ? "" : digits(v),
        }] : []),
      ],
      hooks: {
        draw: [mark(series, name, Number(figure.dataset.at ?? NaN))],
        // without a pointer, the legend has the last values
        ready: [(u) => u.setLegend({ idx: u.data[0].length - 1 })],
        setCursor: [(u) => { if (u.cursor.idx === null) u.setLegend({ idx: u.data[0].length - 1 }); }],
        setSelect: [(u) => {
          if (u.select.width < 4) return;
          zoomTo([u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")]);
          u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        }],
      },
    };
    const table = uPlot.join(columns, columns.map(() => [2, 2]));
    const chart = new uPlot(options, table, place);
    place.style.minHeight = 0;
    drawn.add(chart);
    if (zoom) show(chart);
    new ResizeObserver(() => {
      if (place.clientWidth && place.clientWidth !== chart.width) chart.setSize({ width: place.clientWidth, height });
    }).observe(place);
  };

  const figures = [...document.querySelectorAll("figure.trend")];
  const waiting = new Set(figures);
  const once = (figure) => { if (waiting.delete(figure)) draw(figure); };
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) { watch.unobserve(entry.target); once(entry.target); }
  }, { rootMargin: "200px" });
  figures.forEach((figure) => watch.observe(figure));
  // the rest while nothing else is to be done: a picture of the whole page has all charts
  const idle = window.requestIdleCallback ?? setTimeout;
  const rest = () => {
    const next = [...waiting].find((figure) => figure.querySelector(".canvas").clientWidth);
    if (next) { once(next); idle(rest); }
  };
  idle(rest);
  addEventListener("beforeprint", () => { for (const figure of figures) if (figure.querySelector(".canvas").clientWidth) once(figure); });

  const repaint = () => requestAnimationFrame(() => { for (const u of drawn) u.redraw(); });
  document.getElementById("theme").addEventListener("click", repaint);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  document.getElementById("zoom-out").addEventListener("click", () => zoomTo(null));
  for (const button of document.querySelectorAll("button.near")) {
    button.addEventListener("click", () => {
      const series = data.series[button.dataset.series], n = Number(button.dataset.window);
      const wide = 12 * (series.end[n] - series.begin[n]);
      zoomTo([series.begin[n] - wide, series.end[n] + wide]);
      const figure = figures.find((each) => each.dataset.series.split(",").includes(button.dataset.series));
      const database = figure?.closest("details.database");
      if (database) { database.open = true; database.scrollIntoView(); }
    });
  }

  // tables are built when they are opened, one page at a time --------------------------------
  const paged = (details, label, headings, count, cells) => {
    let from = Math.max(0, count - PAGE);     // the latest first
    const table = make("table", undefined, "small paged"), body = make("tbody"), head = make("tr");
    for (const text of headings) { const th = make("th", text); th.scope = "col"; head.append(th); }
    const thead = make("thead"); thead.append(head); table.append(thead, body);
    const scroll = make("div", undefined, "scroll"); scroll.append(table); scroll.tabIndex = 0;
    scroll.setAttribute("role", "region"); scroll.setAttribute("aria-label", label);
    const pager = make("div", undefined, "pager"), said = make("span", undefined, "small dim");
    said.setAttribute("role", "status");
    const step = (text, by) => {
      const button = make("button", text, "plain"); button.type = "button";
      button.addEventListener("click", () => { from = Math.max(0, Math.min(count - 1, from + by)); fill(); });
      return button;
    };
    const fill = () => {
      const to = Math.min(count, from + PAGE);
      body.replaceChildren(...Array.from({ length: to - from }, (_, n) => {
        const row = make("tr");
        cells(from + n).forEach((text, c) => row.append(make("td", text, c ? "r num" : undefined)));
        return row;
      }));
      said.textContent = `${from + 1} to ${to} of ${count}`;
    };
    if (count > PAGE) pager.append(step("Earlier", -PAGE), step("Later", PAGE));
    pager.append(said);
    details.append(pager, scroll);
    fill();
  };
  const onOpen = (details, build) => details.addEventListener("toggle", () => { if (details.open && details.children.length === 1) build(); });

  for (const figure of figures) onOpen(figure.querySelector("details.numbers"), () => {
    const name = figure.dataset.fact;
    const rows = figure.dataset.series.split(",").flatMap((n) => {
      const series = data.series[n];
      return series.values[name] ? series.begin.map((_, w) => [series, w]) : [];
    }).sort((a, b) => a[0].begin[a[1]] - b[0].begin[b[1]]);
    paged(figure.querySelector("details.numbers"), `Numbers of ${name}, ${data.series[figure.dataset.series.split(",")[0]].name}${figure.closest(".overview") ? ", overview" : ""}`, ["interval", "instance", "value", "usual"], rows.length, (n) => {
      const [series, w] = rows[n], value = series.values[name][w], usual = series.usual[name][w];
      return [span(series.begin[w], series.end[w]), series.label, value === null ? "not in the report" : digits(value), usual === null ? "" : digits(usual)];
    });
  });
  const all = document.getElementById("all-windows");
  onOpen(all, () => {
    const rows = data.series.flatMap((series) => series.begin.map((_, w) => [series, w])).sort((a, b) => a[0].begin[a[1]] - b[0].begin[b[1]]);
    paged(all, "All intervals", ["interval", "series", "score", "findings"], rows.length, (n) => {
      const [series, w] = rows[n];
      return [span(series.begin[w], series.end[w]), series.name, String(series.score[w]), series.findings[w].map(([id, severity]) => `${id} ${severity}`).join(", ")];
    });
  });

  // heat map -------------------------------------------------------------------------------------
  const factBox = document.getElementById("heat-fact"), seriesBox = document.getElementById("heat-series");
  const option = (box, text, value) => { const node = make("option", text); node.value = value; box.append(node); };
  const longest = data.series.reduce((best, each, n) => each.begin.length > (data.series[best]?.begin.length ?? -1) ? n : best, 0);
  data.series.forEach((each, n) => option(seriesBox, each.name, n));
  if (data.series.length) seriesBox.value = longest;
  const choices = () => {
    const before = factBox.value;
    factBox.replaceChildren();
    const series = data.series[seriesBox.value];
    for (const fact of data.facts) if (series?.values[fact.name]) option(factBox, fact.title, fact.name);
    if ([...factBox.options].some((each) => each.value === before)) factBox.value = before;
    else if (series?.values["redo.write_ms"]) factBox.value = "redo.write_ms";
  };
  let page = 0;                // from the end: 0 is the latest
  const heat = () => {
    const place = document.getElementById("heat-map"), says = document.getElementById("heat-says");
    place.replaceChildren();
    const series = data.series[seriesBox.value], name = factBox.value;
    if (!series?.values[name]) { says.textContent = "No data."; return; }
    const fact = facts.get(name), days = new Map();
    let long = 0;
    series.begin.forEach((begin, n) => {
      const value = series.values[name][n];
      if (value === null) return;
      if (!series.hourly[n]) { long += 1; return; }
      const middle = (begin + series.end[n]) / 2, key = day(middle), hour = new Date(middle * 1000).getUTCHours();
      if (!days.has(key)) days.set(key, new Map());
      const hours = days.get(key), other = hours.get(hour);
      const worse = other === undefined || (fact.bad === "low" ? value < series.values[name][other[0]] : value > series.values[name][other[0]]);
      hours.set(hour, worse ? [n, (other?.[1] ?? 0) + 1] : [other[0], other[1] + 1]);
    });
    // by value, on a logarithmic scale where values differ by more than ten times; at most 50 %,
    // so that the number in the cell stays readable
    const all = series.values[name].filter((v) => v !== null);
    const low = Math.min(...all), high = Math.max(...all), logarithmic = low > 0 && high > 10 * low;
    const at = (v) => logarithmic ? Math.log(v / low) / Math.log(high / low) : high > low ? (v - low) / (high - low) : 0;
    const share = (value) => Math.round(50 * (fact.bad === "low" ? 1 - at(value) : at(value)));
    const used = new Set([...days.values()].flatMap((hours) => [...hours.keys()]));
    const hours = Array.from({ length: 24 }, (_, h) => h).filter((h) => h >= Math.min(...used) && h <= Math.max(...used));
    const keys = [...days.keys()], pages = Math.max(1, Math.ceil(keys.length / DAYS));
    page = Math.max(0, Math.min(page, pages - 1));
    const end = keys.length - page * DAYS, shown = keys.slice(Math.max(0, end - DAYS), end);
    const table = make("table", undefined, "heat"), head = make("tr"), thead = make("thead"), body = make("tbody");
    const corner = make("th", "day"); corner.scope = "col"; head.append(corner);
    for (const h of hours) { const th = make("th", two(h)); th.scope = "col"; head.append(th); }
    for (const key of shown) {
      const row = make("tr"), th = make("th", `${key} ${["Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"][new Date(`${key}T00:00:00Z`).getUTCDay()]}`);
      th.scope = "row"; row.append(th);
      for (const h of hours) {
        const found = days.get(key).get(h);
        if (!found) { row.append(make("td")); continue; }
        const [n, count] = found, value = series.values[name][n];
        const cell = make("td", brief(value), series.outliers[name]?.[n] ? "h out" : "h");
        cell.style.setProperty("--heat", `${share(value)}%`);
        cell.title = `${span(series.begin[n], series.end[n])}: ${digits(value)} ${fact.unit}${count > 1 ? `, the worst of ${count} intervals` : ""}`;
        row.append(cell);
      }
      body.append(row);
    }
    thead.append(head); table.append(thead, body); place.append(table);
    says.textContent = [shown.length ? `${shown[0]} to ${shown[shown.length - 1]}` : "No interval belongs to a single hour.", long ? `${long} intervals are longer than an hour and not shown` : ""].filter(Boolean).join("; ");
    document.getElementById("heat-earlier").disabled = page >= pages - 1;
    document.getElementById("heat-later").disabled = page <= 0;
  };
  factBox.addEventListener("change", heat);
  seriesBox.addEventListener("change", () => { page = 0; choices(); heat(); });
  document.getElementById("heat-earlier").addEventListener("click", () => { page += 1; heat(); });
  document.getElementById("heat-later").addEventListener("click", () => { page -= 1; heat(); });
  choices();
  heat();
})();
