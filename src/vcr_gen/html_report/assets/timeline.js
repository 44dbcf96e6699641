/*
 * The timeline: a canvas over what can be seen of it, in a box that scrolls like any other.
 *
 * Across it runs either time or the order of events. In time, calls that took none are thin
 * strokes; in order, every event has the same room, so that nesting and overlap are always to be
 * seen. What it looks like is in drawing.js.
 */

const NARROW = window.innerWidth <= 600; // names of lanes have less room, and strands none
const GUTTER = NARROW ? 118 : 232;
const NAME = 118;
const MARGIN = 16;
const AXIS = 26;
const LANE = 26;
const THINNEST = 3;
const EASY_TO_HIT = 4;
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
        "aria-label": timelineLabel(tape),
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

  /** Ask the browser once where things are: it may have to lay out the page to answer. */
  measure() {
    const { clientWidth, scrollLeft } = this.box;
    this.width = Math.max(50, (clientWidth - GUTTER - MARGIN) * this.zoom);
    this.left = scrollLeft;
  }

  /** How far the axis reaches: seconds, or events. */
  get reach() {
    return this.byOrder ? Math.max(1, this.tape.count) : this.tape.duration || 1;
  }

  resize() {
    this.measure();
    this.extent.style.width = `${GUTTER + this.width + (this.zoom > 1 ? MARGIN : 0)}px`;
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
    this.measure();
    const share = (this.left + around - GUTTER) / this.width;
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
    this.measure();
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
    return GUTTER + (value / this.reach) * this.width - this.left;
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
    const step = event === call.first ? null : call.steps.find((each) => each.event === event);
    const isEnd = event === call.last && event !== call.first;
    return this.x(step ? step.at : isEnd ? call.end : call.start);
  }

  /** The row under the pointer, and how far to the right it points. */
  rowAt(pointer) {
    const frame = this.canvas.getBoundingClientRect();
    const y = pointer.clientY - frame.top - AXIS;
    const row = y < 0 ? undefined : this.rows[Math.floor((y + this.box.scrollTop) / LANE)];
    return [row ?? null, pointer.clientX - frame.left];
  }

  callAt(pointer) {
    this.measure();
    const [row, x] = this.rowAt(pointer);
    if (row === null || x < GUTTER) {
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

  /** Say what is under the pointer: a call, or the lane whose name may not fit. */
  point(event) {
    const call = this.callAt(event);
    this.pointAt(call);
    const [row, x] = this.rowAt(event);
    if (call) {
      const took = call.took === null ? "" : `, ${duration(call.took)}`;
      this.tell(event, `${call.first}  ${call.name}: ${call.status}${took}`);
    } else if (row && x < GUTTER) {
      const direction = row.inbound ? "inbound" : "outbound";
      this.tell(event, `${row.boundary}, ${direction}, ${row.lane}`);
    }
  }

  tell(event, text) {
    this.hint.hidden = false;
    this.hint.textContent = text;
    const room = document.documentElement.clientWidth - this.hint.offsetWidth - 8;
    this.hint.style.left = `${Math.max(8, Math.min(event.clientX + 12, room))}px`;
    this.hint.style.top = `${event.clientY + 16}px`;
  }

  pointAt(call) {
    this.hint.hidden = true;
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

  redraw() {
    if (!this.waiting) {
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.measure();
        new Drawing(this).draw();
      });
    }
  }
}

function timelineLabel({ about, calls }) {
  const what = `Timeline of ${counted(calls.length, "call")} of ${about.name}`;
  return `${what}. Left and right go from call to call.`;
}
