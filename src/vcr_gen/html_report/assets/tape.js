/*
 * A tape: the events of the page, joined into calls.
 *
 * An event is two lines: a head, which is read here, and a body, which stays text until somebody
 * looks at it. With 100,000 events this is what lets the page open.
 */

const LARGE = 50_000;
const STATUSES = ["returned", "raised", "cancelled", "unfinished"];

/** One call: its start, its end if it had one, and what happened between. */
class Call {
  constructor(tape, head, event, boundary) {
    this.tape = tape;
    /** What stands for it in the list. */
    this.item = null;
    /** The number that the tape gives it. */
    this.number = head.call;
    this.of = head.of;
    /** `Boundary.method`, or what its arguments name it: `http GET /jobs/7`. */
    this.name = head.name ?? head.of;
    this.boundary = boundary;
    this.method = head.of.slice(boundary.length + 1);
    this.on = head.on ?? "";
    this.strand = head.strand ?? "0";
    this.inbound = head.inbound === true;
    this.within = head.within ?? null;
    this.parent = null;
    this.depth = 0;
    this.line = head.line;
    /** When it began and ended: in seconds, and as numbers of events. */
    this.start = head.at;
    this.end = null;
    /** How many seconds it took; null if it never finished. */
    this.took = null;
    this.first = event;
    this.last = null;
    this.status = "unfinished";
    /** What a stream gave and was told: `{event, at, kind, words, value}`. */
    this.steps = [];
  }

  /** Its name in two parts: the boundary with what separates it, and the rest. */
  get prefix() {
    return this.name.slice(0, this.boundary.length + 1);
  }

  get label() {
    return this.name.slice(this.boundary.length + 1);
  }

  finish(head, event) {
    // The clock of a loop stands still while the program blocks it: then `took` says more.
    this.took = head.took ?? Math.max(0, head.end - this.start);
    this.start = Math.max(this.start, head.end - this.took);
    this.end = Math.max(head.end, this.start + this.took);
    this.last = event;
    this.status = head.outcome;
  }
}

class Tape {
  /** Joins the blocks of one tape; `about` is what the page says about it, `side` which it is. */
  constructor(about, side = "") {
    this.about = about;
    this.side = side;
    this.calls = [];
    this.boundaries = new Map();
    this.bodies = [null];
    this.callOf = [null];
    this.duration = 0;
    const byNumber = new Map();
    for (const block of document.querySelectorAll(`script[data-tape="${about.index}"]`)) {
      const lines = block.textContent.split("\n");
      for (let i = 1; i + 1 < lines.length; i += 2) {
        this.add(JSON.parse(lines[i]), lines[i + 1], byNumber);
      }
    }
    this.count = this.bodies.length - 1;
  }

  add(head, body, byNumber) {
    const event = this.bodies.push(body) - 1;
    this.duration = Math.max(this.duration, head.at, head.end ?? 0);
    let call;
    if (head.kind === "call") {
      call = new Call(this, head, event, this.boundaryOf(head.by ?? head.of));
      this.calls.push(call);
      call.steps = (head.steps ?? []).map((step) => ({ ...step, event }));
      byNumber.set(call.number, call);
      const parent = call.within === null ? undefined : byNumber.get(call.within);
      if (parent) {
        call.parent = parent;
        call.depth = parent.depth + 1;
      }
    } else {
      call = byNumber.get(head.call);
      if (head.kind !== "end") {
        call.steps.push({ event, at: head.at, kind: head.kind, words: head.words, value: 0 });
      }
    }
    if (head.outcome) {
      call.finish(head, event);
      this.duration = Math.max(this.duration, call.end);
    }
    this.callOf.push(call);
  }

  /** The boundary in `Boundary.method`; either name may have dots in it. */
  boundaryOf(of) {
    if (!this.boundaries.has(of)) {
      const known = Object.keys(this.about.boundaries).filter((name) => of.startsWith(`${name}.`));
      known.sort((a, b) => b.length - a.length);
      this.boundaries.set(of, known[0] ?? of.split(".", 1)[0]);
    }
    return this.boundaries.get(of);
  }

  /** The number of a boundary's colour. */
  colorOf(boundary) {
    return this.colors.get(boundary) ?? 0;
  }

  /** Whether so much was said that it is read only where somebody asks for all of it. */
  isLarge(event) {
    return this.bodies[event].length > LARGE;
  }

  sizeOf(event) {
    return `… ${Math.round(this.bodies[event].length / 1000).toLocaleString("en")} kB`;
  }

  /** What names an event in the address. */
  hash(event) {
    return `${this.side}event-${event}`;
  }

  /** The arguments of a call: a Map. */
  argumentsOf(call) {
    return readExactly(this.bodies[call.first])[0];
  }

  /** What a call returned or raised; undefined where it never finished. */
  resultOf(call) {
    return call.last === null ? undefined : readExactly(this.bodies[call.last]).at(-1);
  }

  /** What a step of a stream carried; undefined where it carried nothing. */
  valueOf({ event, value }) {
    return readExactly(this.bodies[event])[value];
  }

  /** What the boundary says about the method: signature and types; empty where it says nothing. */
  methodOf(call) {
    const boundary = own(this.about.boundaries, call.boundary);
    return (boundary && own(boundary, call.method)) ?? { signature: "", types: {} };
  }
}

const COLORS = 8;

/** The tapes of the page; a boundary has the same colour in all of them. */
function readTapes(abouts) {
  const tapes = abouts.map((about, index) => new Tape({ ...about, index }, index ? "after-" : ""));
  const names = new Set(tapes.flatMap((tape) => [...tape.boundaries.values()]));
  const colors = new Map([...names].map((name, position) => [name, position % COLORS]));
  for (const tape of tapes) {
    tape.colors = colors;
  }
  return tapes;
}

/** A field of an object out of the page's data, where any name can be a key. */
function own(object, name) {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
