// Ticks and lines of the chart: dates across, powers of ten upwards.
(function (t) {
  "use strict";
  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const steps = [1, 3, 6, 12, 24, 60, 120, 240]; // months
  const DAY = 864e5;

  const dayOf = (month) => Date.UTC(Math.floor(month / 12), ((month % 12) + 12) % 12, 1) / DAY;
  const monthOf = (day) => {
    const date = new Date(day * DAY);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  };

  // [{at: day, text}] between two days, at least `gap` pixels apart.
  t.dateTicks = function (first, last, width, gap = 56) {
    const span = (last - first) / 30.44;
    const step = steps.find((size) => (width / span) * size >= gap) || 360;
    const ticks = [];
    for (let month = Math.ceil(monthOf(first) / step) * step; dayOf(month) <= last; month += step) {
      if (dayOf(month) < first) continue;
      const year = String(Math.floor(month / 12));
      ticks.push({ at: dayOf(month), text: step >= 12 || month % 12 === 0 ? year : `${months[month % 12]} ${year.slice(2)}` });
    }
    return ticks;
  };

  // [{at: log10, text, minor}]; below two powers of ten also 2 and 5 times each.
  t.powerTicks = function (least, most, height, gap = 30) {
    const ticks = [];
    const step = Math.max(1, Math.ceil(gap / (height / (most - least))));
    const between = (height / (most - least)) * 0.3 >= gap * 0.6 ? [2, 5] : [];
    for (let power = Math.floor(least); power <= most; power += 1) {
      if (power % step === 0 && power >= least) ticks.push({ at: power, text: t.power(power) });
      for (const times of between) {
        const at = power + Math.log10(times);
        if (at >= least && at <= most) ticks.push({ at, text: `${times}·${t.power(power)}` });
      }
    }
    return ticks;
  };

  // Grid, ticks, thresholds and the name of the vertical axis; `chart` is what scatter.js lays out, and keeps in
  // chart.reserved where words of the thresholds stand.
  t.drawAxes = function (context, chart, marks, name) {
    const { left, top, right, bottom, x, y, view, ink } = chart;
    context.font = ink.font;
    context.lineWidth = 1;
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const tick of t.powerTicks(view[2], view[3], bottom - top)) {
      const at = Math.round(y(tick.at)) + 0.5;
      rule(context, left, at, right, at, ink.line);
      context.fillStyle = ink.muted;
      context.fillText(tick.text, left - 8, at);
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const tick of t.dateTicks(view[0], view[1], right - left)) {
      const at = Math.round(x(tick.at)) + 0.5;
      rule(context, at, top, at, bottom, ink.line);
      context.fillStyle = ink.muted;
      if (at > left + 10 && at < right - 10) context.fillText(tick.text, at, bottom + 8);
    }
    chart.reserved = marks.map((mark) => drawMark(context, chart, mark)).filter(Boolean);
    context.fillStyle = ink.ink;
    context.textAlign = "left";
    context.textBaseline = "top";
    context.font = ink.strong;
    context.fillText(name, 8, 6);
    context.font = ink.font;
  };

  function rule(context, x0, y0, x1, y1, colour) {
    context.strokeStyle = colour;
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
  }

  function drawMark(context, { left, top, right, bottom, y, ink }, mark) {
    const at = Math.round(y(Math.log10(mark.value))) + 0.5;
    if (at < top || at > bottom) return null;
    context.setLineDash([5, 4]);
    rule(context, left, at, right, at, ink.muted);
    context.setLineDash([]);
    context.fillStyle = ink.muted;
    context.textAlign = "left";
    context.textBaseline = "bottom";
    const text = `${t.power(Math.round(Math.log10(mark.value)))} ${mark.label}`;
    context.fillText(text, left + 6, at - 2);
    return [left, at - 16, context.measureText(text).width + 8, 16];
  }
})(window.traincompute);
