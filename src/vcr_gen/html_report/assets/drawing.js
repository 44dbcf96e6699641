/*
 * Draws a timeline as it is at the moment, onto its canvas: grid, lanes, calls, streams, what is
 * inside what, and where a replay failed.
 */

const FEW_ENOUGH_FOR_STEMS = 400;

class Drawing {
  constructor(timeline) {
    this.timeline = timeline;
    this.tape = timeline.tape;
    this.rows = timeline.rows;
    const { canvas } = timeline;
    this.scale = devicePixelRatio || 1;
    this.width = canvas.width / this.scale;
    this.height = canvas.height / this.scale;
    this.pen = canvas.getContext("2d");
    this.style = getComputedStyle(document.documentElement);
    this.scrolled = timeline.box.scrollTop;
    /** The rows that can be seen. */
    this.first = Math.max(0, Math.floor(this.scrolled / LANE));
    const seen = Math.ceil((this.height - AXIS) / LANE) + 1;
    this.last = Math.min(this.rows.length, this.first + seen);
  }

  color(name) {
    return this.style.getPropertyValue(`--${name}`).trim();
  }

  boundaryColor(boundary) {
    return this.color(`color-${this.tape.colorOf(boundary)}`);
  }

  top(row) {
    return AXIS + row * LANE - this.scrolled;
  }

  draw() {
    const { pen, scale, width, height, first, last } = this;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = `12px ${this.style.fontFamily || "sans-serif"}`;
    pen.textBaseline = "middle";
    const axis = this.marks();
    this.within(GUTTER, width, () => {
      this.drawGrid(axis);
      for (let row = first; row < last; row++) {
        this.drawRow(row);
      }
      this.drawStems();
      this.drawFailure();
    });
    this.drawAxis(axis);
    this.within(0, GUTTER, () => this.drawLabels());
  }

  /** Draw below the axis, and nowhere else than between two edges. */
  within(left, right, draw) {
    const { pen, height } = this;
    pen.save();
    pen.beginPath();
    pen.rect(left, AXIS, right - left, height - AXIS);
    pen.clip();
    draw();
    pen.restore();
  }

  /** The values at which the axis is marked: round ones, not too near to each other. */
  marks() {
    const { timeline, width } = this;
    const { reach, byOrder } = timeline;
    const wanted = (reach / timeline.width) * 90;
    const magnitude = 10 ** Math.floor(Math.log10(wanted));
    let step = [1, 2, 5, 10].find((times) => times * magnitude >= wanted) * magnitude;
    step = byOrder ? Math.max(1, Math.round(step)) : step;
    const marks = [];
    let mark = Math.floor(((timeline.left / timeline.width) * reach) / step);
    while (timeline.x(mark * step) < width && mark * step <= reach) {
      marks.push(mark++ * step);
    }
    return { marks, step };
  }

  drawGrid({ marks }) {
    const { pen, timeline, height } = this;
    pen.fillStyle = this.color("line-soft");
    for (const mark of marks) {
      pen.fillRect(Math.round(timeline.x(mark)), AXIS, 1, height);
    }
  }

  drawAxis({ marks, step }) {
    const { pen, timeline, width } = this;
    const { byOrder } = timeline;
    pen.fillStyle = this.color("panel");
    pen.fillRect(0, 0, width, AXIS);
    pen.fillStyle = this.color("line");
    pen.fillRect(0, AXIS - 1, width, 1);
    pen.fillStyle = this.color("muted");
    const [unit, factor] = step >= 1 ? ["s", 1] : step >= 0.001 ? ["ms", 1e3] : ["µs", 1e6];
    for (const mark of marks) {
      const x = timeline.x(mark);
      if (x >= GUTTER - 1 && x < width - 20) {
        const time = `${trimmed(mark * factor, 1)} ${unit}`;
        pen.fillText(byOrder ? `${mark || ""}` : time, x + 4, AXIS / 2);
      }
    }
    const measure = byOrder ? "event" : "time since the session began";
    const title = timeline.title ? `${timeline.title}: ${measure}` : measure;
    pen.fillStyle = this.color("panel");
    pen.fillRect(0, 0, GUTTER, AXIS - 1);
    pen.fillStyle = this.color("muted");
    pen.fillText(fitting(pen, title, GUTTER - 20), 12, AXIS / 2);
  }

  drawLabels() {
    const { pen, first, last, height } = this;
    pen.fillStyle = this.color("panel");
    pen.fillRect(0, AXIS, GUTTER, height);
    for (let row = first; row < last; row++) {
      this.drawLabel(row);
    }
    pen.fillStyle = this.color("line");
    pen.fillRect(GUTTER - 1, AXIS, 1, height);
  }

  drawLabel(row) {
    const { pen } = this;
    const { boundary, lane, first, inbound } = this.rows[row];
    const y = this.top(row);
    const onTop = row === this.first; // names stay in sight when their first row does not
    const begins = row === 0 || this.rows[row - 1].boundary !== boundary;
    if (begins && row > 0) {
      pen.fillStyle = this.color("line");
      pen.fillRect(0, y, GUTTER, 1);
    }
    pen.fillStyle = this.boundaryColor(boundary);
    pen.fillRect(0, y + (begins ? 1 : 0), 4, LANE);
    if (begins || onTop) {
      pen.save();
      pen.fillStyle = this.color("ink");
      pen.font = `600 ${pen.font}`;
      const name = `${inbound ? "←" : "→"} ${boundary}`;
      pen.fillText(fitting(pen, name, NAME - 18), 12, y + LANE / 2);
      pen.restore();
    }
    if (!NARROW && (first || onTop)) {
      pen.fillStyle = this.color("muted");
      pen.fillText(fitting(pen, lane, GUTTER - NAME - 8), NAME, y + LANE / 2);
    }
  }

  drawRow(row) {
    const { pen, timeline, width } = this;
    const { boundary, first, calls } = this.rows[row];
    const y = this.top(row);
    if (first && row > this.first) {
      pen.fillStyle = this.color("line-soft");
      pen.fillRect(GUTTER, y, width, 1);
    }
    const own = this.boundaryColor(boundary);
    const bad = this.color("bad");
    let painted = -Infinity;
    for (const call of calls) {
      const [left, right] = timeline.span(call);
      if (left > width) {
        break;
      }
      // Thousands of calls may fall on one column of pixels; one stroke stands for them all.
      const hidden = right <= painted && call.status === "returned" && !this.isMarked(call);
      if (right >= GUTTER && !hidden) {
        painted = right;
        pen.globalAlpha = weight(call);
        this.drawCall(call, left, right, y + 3, call.status === "raised" ? bad : own);
      }
    }
    pen.globalAlpha = 1;
  }

  isMarked(call) {
    return call === this.timeline.chosen || call === this.timeline.pointed;
  }

  drawCall(call, left, right, y, tone) {
    const { pen } = this;
    const height = LANE - 6;
    const from = Math.max(left, GUTTER - 4);
    const until = Math.min(right, this.width + 4);
    if (right - left > 6) {
      const alpha = pen.globalAlpha;
      pen.fillStyle = tone;
      pen.globalAlpha = alpha * 0.22;
      pen.beginPath();
      pen.roundRect(from, y, until - from, height, 3);
      pen.fill();
      pen.globalAlpha = alpha;
    }
    pen.fillStyle = tone;
    pen.fillRect(left, y, THINNEST, height);
    if (call.status === "cancelled" || call.status === "unfinished") {
      pen.strokeStyle = tone;
      pen.setLineDash(call.status === "cancelled" ? [4, 3] : [1, 3]);
      pen.strokeRect(from + 0.5, y + 0.5, until - from - 1, height - 1);
      pen.setLineDash([]);
    }
    this.drawSteps(call, tone, y + height, until);
    this.drawName(call, Math.max(from, GUTTER) + 8, until, y + height / 2);
    if (this.isMarked(call)) {
      pen.strokeStyle = this.color(call === this.timeline.chosen ? "focus" : "ink");
      pen.lineWidth = 2;
      pen.beginPath();
      pen.roundRect(from - 2, y - 2, Math.max(until - from, THINNEST) + 4, height + 4, 4);
      pen.stroke();
      pen.lineWidth = 1;
    }
  }

  /** The name of a call in its bar, where there is room. */
  drawName(call, left, right, middle) {
    const { pen } = this;
    const sign = call.status === "returned" ? "" : `${STATUS_SIGNS[call.status]} `;
    const room = right - left - 2;
    if (room > 24 + sign.length * 8) {
      pen.fillStyle = this.color("ink");
      // The ticks of a stream are below it.
      const y = middle - (call.steps.length ? 2 : 0);
      pen.fillText(fitting(pen, sign + call.label, room), left, y);
    }
  }

  /** What a stream gave, as ticks along the lower edge of its bar. */
  drawSteps(call, tone, bottom, right) {
    const { pen, timeline } = this;
    pen.fillStyle = tone;
    let painted = -Infinity;
    for (const step of call.steps) {
      const x = Math.round(timeline.x(timeline.byOrder ? step.event - 0.5 : step.at));
      if (x > right) {
        break;
      }
      if (x > painted && x >= GUTTER) {
        const tall = step.kind === "item" ? 5 : 3;
        pen.fillRect(x, bottom - tall, 2, tall);
        painted = x;
      }
    }
  }

  /** Lines from inbound calls down to what happened inside them. */
  drawStems() {
    const { pen, timeline } = this;
    const marked = [timeline.chosen, timeline.pointed].filter(Boolean);
    const all = this.tape.calls.length <= FEW_ENOUGH_FOR_STEMS;
    if (!all && marked.length === 0) {
      return;
    }
    for (const call of this.tape.calls) {
      const near = marked.some((one) => call === one || call.parent === one);
      if (call.parent && (all || near) && call.item?.shown) {
        const x = Math.round(timeline.span(call)[0]);
        const from = this.top(call.parent.row) + LANE - 3;
        pen.fillStyle = this.color(near ? "focus" : "line");
        pen.fillRect(x, from, 1, this.top(call.row) + 3 - from);
      }
    }
  }

  /** Where a replay failed. */
  drawFailure() {
    const { pen, timeline, width, height } = this;
    if (timeline.failedEvent === null) {
      return;
    }
    const x = Math.round(timeline.xOfEvent(timeline.failedEvent));
    const words = timeline.failedWords;
    const room = pen.measureText(words).width + 12;
    const left = x + room > width ? x - room : x;
    pen.fillStyle = this.color("bad");
    pen.fillRect(x - 1, AXIS, 2, height);
    pen.fillRect(left, height - 20, room, 20);
    pen.fillStyle = this.color("panel");
    pen.fillText(words, left + 6, height - 10);
  }
}

/** How strongly a call is drawn: what is filtered out weakly, and so what two tapes share. */
function weight({ item }) {
  if (item === null || item.shown) {
    return item?.kind === "same" ? 0.5 : 1;
  }
  return 0.16;
}

/** As much of a text as fits into a width. */
function fitting(pen, text, width) {
  if (pen.measureText(text).width <= width) {
    return text;
  }
  let length = Math.floor((text.length * width) / pen.measureText(text).width);
  while (length > 0 && pen.measureText(`${text.slice(0, length)}…`).width > width) {
    length--;
  }
  return length > 0 ? `${text.slice(0, length)}…` : "";
}
