/*
 * The timeline: a canvas over what can be seen of it, in a box that scrolls like any other.
 *
 * Across it runs either time or the order of events. In time, calls that took none are thin strokes;
 * in order, every event has the same room, so that nesting and overlap are always to be seen.
 */

const GUTTER = 232;
const NAME = 118;
const AXIS = 26;
const LANE = 26;
const THINNEST = 3;
const EASY_TO_HIT = 4;
const FEW_ENOUGH_FOR_STEMS = 400;
const DEEPEST_ZOOM = 2000;
const WIDEST = 8e6; // browsers give up on elements that are much wider

class Timeline {
  /** `onChoose` is told the call that was clicked. */
  constructor(tape, onChoose) {
    this.tape = tape;
    this.rows = layOut(tape);
    this.canvas = make("canvas");
    this.extent = make("div", { class: "extent" }, this.canvas);
    this.box = make(
      "div",
      {
        class: "scroller",
        tabindex: "0",
        role: "application",
        "aria-label": `Timeline of ${counted(tape.calls.length, "call")} of ${tape.about.name}. Left and right go from call to call.`,
      },
      this.extent,
    );
    byId("timelines").append(this.box);
    this.hint = byId("hint");
    this.onChoose = onChoose;
    this.byOrder = tape.duration === 0;
    this.zoom = 1;
    this.chosen = null;
    this.pointed = null;
    this.failedEvent = null;
    this.failedWords = "diverged here";
    /** What is written above the lanes, where there are two timelines. */
    this.title = "";
    this.waiting = false;
    this.listen();
    this.resize();
  }

  listen() {
    this.box.addEventListener("scroll", () => this.redraw(), { passive: true });
    this.box.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.box.addEventListener("pointermove", (event) => this.point(event));
    this.box.addEventListener("pointerleave", () => this.pointAt(null));
    this.box.addEventListener("click", (event) => {
      const call = this.callAt(event);
      if (call) {
        this.onChoose(call);
      }
    });
    new ResizeObserver(() => this.resize()).observe(this.box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  get width() {
    return Math.max(50, (this.box.clientWidth - GUTTER - 16) * this.zoom);
  }

  /** How far the axis reaches: seconds, or events. */
  get reach() {
    return this.byOrder ? Math.max(1, this.tape.count) : this.tape.duration || 1;
  }

  resize() {
    this.extent.style.width = `${GUTTER + this.width + (this.zoom > 1 ? 16 : 0)}px`;
    this.extent.style.height = `${AXIS + this.rows.length * LANE + 6}px`;
    const scale = devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.box;
    this.canvas.style.width = `${clientWidth}px`;
    this.canvas.style.height = `${clientHeight}px`;
    this.canvas.width = Math.round(clientWidth * scale);
    this.canvas.height = Math.round(clientHeight * scale);
    this.redraw();
  }

  /** Choose what runs across: time, or the order of events. */
  across(byOrder) {
    this.byOrder = byOrder;
    this.resize();
    if (this.chosen) {
      this.reveal(this.chosen);
    }
  }

  /** Zoom around a place on the screen; in the middle, where none is given. */
  zoomBy(factor, around = GUTTER + (this.box.clientWidth - GUTTER) / 2) {
    const limit = Math.min(DEEPEST_ZOOM, WIDEST / Math.max(1, this.box.clientWidth));
    const zoom = Math.max(1, Math.min(limit, this.zoom * factor));
    const share = (this.box.scrollLeft + around - GUTTER) / this.width;
    this.zoom = zoom;
    this.resize();
    this.box.scrollLeft = share * this.width + GUTTER - around;
  }

  fit() {
    this.zoom = 1;
    this.resize();
    this.box.scrollLeft = 0;
  }

  choose(call) {
    this.chosen = call;
    if (call) {
      this.reveal(call);
    }
    this.redraw();
  }

  reveal(call) {
    const [left, right] = this.span(call);
    const { clientWidth, clientHeight, scrollTop } = this.box;
    if (right < GUTTER || left > clientWidth) {
      this.box.scrollLeft += left - GUTTER - (clientWidth - GUTTER) / 3;
    }
    const top = call.row * LANE;
    if (top < scrollTop || top + LANE > scrollTop + clientHeight - AXIS) {
      this.box.scrollTop = top - (clientHeight - AXIS) / 3;
    }
  }

  // Where things are ---------------------------------------------------------------------------

  x(value) {
    return GUTTER + (value / this.reach) * this.width - this.box.scrollLeft;
  }

  /** Left and right edge of a call on the screen. */
  span(call) {
    const { byOrder, reach } = this;
    const from = byOrder ? call.first - 1 : call.start;
    const until = byOrder ? call.last ?? reach : call.end ?? reach;
    const left = this.x(from);
    return [left, Math.max(left + THINNEST, this.x(until) - (byOrder ? 2 : 0))];
  }

  /** Where the event with this number is. */
  xOfEvent(event) {
    if (this.byOrder) {
      return this.x(event - 0.5);
    }
    const call = this.tape.callOf[event];
    const step = call.steps.find((candidate) => candidate.event === event);
    return this.x(step ? step.at : event === call.last && event !== call.first ? call.end : call.start);
  }

  callAt(pointer) {
    const frame = this.canvas.getBoundingClientRect();
    const [x, y] = [pointer.clientX - frame.left, pointer.clientY - frame.top];
    const row = this.rows[Math.floor((y - AXIS + this.box.scrollTop) / LANE)];
    if (!row || x < GUTTER || y < AXIS) {
      return null;
    }
    let nearest = null;
    let distance = EASY_TO_HIT;
    for (const call of row.calls) {
      const [left, right] = this.span(call);
      const away = Math.max(left - x, x - right, 0);
      if (away <= distance) {
        nearest = call;
        distance = away;
      }
    }
    return nearest;
  }

  point(event) {
    const call = this.callAt(event);
    this.pointAt(call);
    if (call) {
      const took = call.took === null ? "" : `, ${duration(call.took)}`;
      this.hint.textContent = `${call.first}  ${call.of}: ${call.status}${took}`;
      const room = document.documentElement.clientWidth - this.hint.offsetWidth - 8;
      this.hint.style.left = `${Math.max(8, Math.min(event.clientX + 12, room))}px`;
      this.hint.style.top = `${event.clientY + 16}px`;
    }
  }

  pointAt(call) {
    this.hint.hidden = call === null;
    this.box.classList.toggle("pointing", call !== null);
    if (call !== this.pointed) {
      this.pointed = call;
      this.redraw();
    }
  }

  wheel(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const frame = this.canvas.getBoundingClientRect();
      this.zoomBy(Math.exp(-event.deltaY / 200), Math.max(GUTTER, event.clientX - frame.left));
    }
  }

  // Drawing ------------------------------------------------------------------------------------

  redraw() {
    if (!this.waiting) {
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.draw();
      });
    }
  }

  draw() {
    const pen = this.canvas.getContext("2d");
    const scale = devicePixelRatio || 1;
    const [width, height] = [this.canvas.width / scale, this.canvas.height / scale];
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(`--${name}`).trim();
    const first = Math.max(0, Math.floor(this.box.scrollTop / LANE));
    const last = Math.min(this.rows.length, first + Math.ceil((height - AXIS) / LANE) + 1);
    const top = (row) => AXIS + row * LANE - this.box.scrollTop;

    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = `12px ${style.fontFamily || "sans-serif"}`;
    pen.textBaseline = "middle";
    pen.save();
    pen.beginPath();
    pen.rect(GUTTER, AXIS, width - GUTTER, height - AXIS);
    pen.clip();
    this.drawGrid(pen, color, width, height);
    for (let row = first; row < last; row++) {
      if (this.rows[row].first && row > first) {
        pen.fillStyle = color("line-soft");
        pen.fillRect(GUTTER, top(row), width, 1);
      }
      this.drawRow(pen, color, this.rows[row], top(row), width);
    }
    this.drawStems(pen, color, top);
    this.drawFailure(pen, color, width, height);
    pen.restore();
    this.drawAxis(pen, color, width);
    this.drawLabels(pen, color, first, last, top, height);
  }

  /** The values at which the axis is marked: round ones, not too near to each other. */
  marks(width) {
    const wanted = (this.reach / this.width) * 90;
    const magnitude = 10 ** Math.floor(Math.log10(wanted));
    let step = [1, 2, 5, 10].find((times) => times * magnitude >= wanted) * magnitude;
    step = this.byOrder ? Math.max(1, Math.round(step)) : step;
    const found = [];
    const from = Math.floor(((this.box.scrollLeft / this.width) * this.reach) / step);
    for (let i = Math.max(0, from); this.x(i * step) < width && i * step <= this.reach; i++) {
      found.push(i * step);
    }
    return { marks: found, step };
  }

  drawGrid(pen, color, width, height) {
    pen.fillStyle = color("line-soft");
    for (const mark of this.marks(width).marks) {
      pen.fillRect(Math.round(this.x(mark)), AXIS, 1, height);
    }
  }

  drawAxis(pen, color, width) {
    pen.fillStyle = color("panel");
    pen.fillRect(0, 0, width, AXIS);
    pen.fillStyle = color("line");
    pen.fillRect(0, AXIS - 1, width, 1);
    pen.fillStyle = color("muted");
    const { marks, step } = this.marks(width);
    const [unit, factor] = step >= 1 ? ["s", 1] : step >= 0.001 ? ["ms", 1e3] : ["µs", 1e6];
    for (const mark of marks) {
      const x = this.x(mark);
      if (x >= GUTTER - 1 && x < width - 20) {
        const time = `${trimmed(mark * factor, 1)} ${unit}`;
        pen.fillText(this.byOrder ? `${mark || ""}` : time, x + 4, AXIS / 2);
      }
    }
    pen.fillStyle = color("panel");
    pen.fillRect(0, 0, GUTTER, AXIS - 1);
    pen.fillStyle = color("muted");
    const measure = this.byOrder ? "event" : "time since the session began";
    const title = this.title ? `${this.title}: ${measure}` : measure;
    pen.fillText(fitting(pen, title, GUTTER - 20), 12, AXIS / 2);
  }

  drawLabels(pen, color, first, last, top, height) {
    pen.save();
    pen.beginPath();
    pen.rect(0, AXIS, GUTTER, height - AXIS);
    pen.clip();
    pen.fillStyle = color("panel");
    pen.fillRect(0, AXIS, GUTTER, height);
    for (let row = first; row < last; row++) {
      this.drawLabel(pen, color, row, top(row), row === first);
    }
    pen.fillStyle = color("line");
    pen.fillRect(GUTTER - 1, AXIS, 1, height);
    pen.restore();
  }

  drawLabel(pen, color, row, y, onTop) {
    const { boundary, label, first, inbound } = this.rows[row];
    const before = this.rows[row - 1];
    const begins = !before || before.boundary !== boundary;
    if (begins && row > 0) {
      pen.fillStyle = color("line");
      pen.fillRect(0, y, GUTTER, 1);
    }
    pen.fillStyle = color(`color-${this.tape.colorOf(boundary)}`);
    pen.fillRect(0, y + (begins ? 1 : 0), 4, LANE);
    if (begins || onTop) {
      pen.fillStyle = color("ink");
      pen.font = pen.font.replace(/^(\d+px)/, "600 $1");
      pen.fillText(fitting(pen, `${inbound ? "→" : "←"} ${boundary}`, NAME - 18), 12, y + LANE / 2);
      pen.font = pen.font.replace(/^600 /, "");
    }
    if (first || onTop) {
      pen.fillStyle = color("muted");
      pen.fillText(fitting(pen, label, GUTTER - NAME - 8), NAME, y + LANE / 2);
    }
  }

  drawRow(pen, color, row, y, width) {
    const own = color(`color-${this.tape.colorOf(row.boundary)}`);
    const bad = color("bad");
    let painted = -Infinity;
    for (const call of row.calls) {
      const [left, right] = this.span(call);
      if (left > width) {
        break;
      }
      const marked = call === this.chosen || call === this.pointed;
      // Thousands of calls may fall on one column of pixels; one stroke stands for them all.
      if (right < GUTTER || (right <= painted && !marked && call.status === "returned")) {
        continue;
      }
      painted = right;
      pen.globalAlpha = weight(call);
      this.drawCall(pen, call, left, right - left, y + 3, call.status === "raised" ? bad : own, color);
    }
    pen.globalAlpha = 1;
  }

  drawCall(pen, call, left, width, y, tone, color) {
    const height = LANE - 6;
    const alpha = pen.globalAlpha;
    const from = Math.max(left, GUTTER - 4);
    const until = Math.min(left + width, this.canvas.width);
    if (width > 6) {
      pen.fillStyle = tone;
      pen.globalAlpha = alpha * 0.22;
      pen.beginPath();
      pen.roundRect(from, y, until - from, height, 3);
      pen.fill();
      pen.globalAlpha = alpha;
    }
    pen.fillStyle = tone;
    pen.fillRect(left, y, THINNEST, height);
    if (call.status === "cancelled" || call.status === "never finished") {
      pen.strokeStyle = tone;
      pen.setLineDash(call.status === "cancelled" ? [4, 3] : [1, 3]);
      pen.strokeRect(from + 0.5, y + 0.5, until - from - 1, height - 1);
      pen.setLineDash([]);
    }
    this.drawSteps(pen, call, tone, y, height);
    const room = until - Math.max(from, GUTTER) - 10;
    const sign = call.status === "returned" ? "" : `${STATUS_SIGNS[call.status]} `;
    if (room > 24 + sign.length * 8) {
      const middle = y + height / 2 - (call.steps.length ? 2 : 0); // the ticks are below it
      pen.fillStyle = color("ink");
      pen.fillText(fitting(pen, sign + call.method, room), Math.max(from, GUTTER) + 8, middle);
    }
    if (call === this.chosen || call === this.pointed) {
      pen.strokeStyle = color(call === this.chosen ? "focus" : "ink");
      pen.lineWidth = 2;
      pen.beginPath();
      pen.roundRect(from - 2, y - 2, Math.max(until - from, THINNEST) + 4, height + 4, 4);
      pen.stroke();
      pen.lineWidth = 1;
    }
  }

  /** What a stream gave, as ticks along the lower edge of its bar. */
  drawSteps(pen, call, tone, y, height) {
    pen.fillStyle = tone;
    let painted = -Infinity;
    for (const step of call.steps) {
      const x = Math.round(this.byOrder ? this.x(step.event - 0.5) : this.x(step.at));
      if (x > painted && x >= GUTTER) {
        const tall = step.kind === "item" ? 5 : 3;
        pen.fillRect(x, y + height - tall, 2, tall);
        painted = x;
      }
      if (x > this.box.clientWidth) {
        break;
      }
    }
  }

  /** Lines from inbound calls down to what happened inside them. */
  drawStems(pen, color, top) {
    const { chosen, pointed } = this;
    const all = this.tape.calls.length <= FEW_ENOUGH_FOR_STEMS;
    const family = (call) => [chosen, pointed].some((one) => one && (call === one || call.parent === one));
    if (!all && !chosen && !pointed) {
      return;
    }
    for (const call of this.tape.calls) {
      const near = family(call);
      if (call.parent && (all || near) && call.item?.shown) {
        const x = Math.round(this.span(call)[0]);
        const from = top(call.parent.row) + LANE - 3;
        pen.fillStyle = color(near ? "focus" : "line");
        pen.fillRect(x, from, 1, top(call.row) + 3 - from);
      }
    }
  }

  /** Where a replay failed. */
  drawFailure(pen, color, width, height) {
    if (this.failedEvent === null) {
      return;
    }
    const x = Math.round(this.xOfEvent(this.failedEvent));
    pen.fillStyle = color("bad");
    pen.fillRect(x - 1, AXIS, 2, height);
    const words = this.failedWords;
    const room = pen.measureText(words).width + 12;
    const left = x + room > width ? x - room : x;
    pen.fillRect(left, height - 20, room, 20);
    pen.fillStyle = color("panel");
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
