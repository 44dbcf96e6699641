/*
 * Puts the page to work: reads the data, connects filters, list, timeline and details, and listens
 * to keys and to the address.
 */

const COLORS = 8;
const KNOWN_VERSION = 1;

class Report {
  constructor(document_) {
    this.failure = document_.failure;
    this.tape = readTape(document_.tapes[0], 0);
    this.filter = new Filter();
    this.event = null;
    this.list = new CallList((call) => this.choose(call, call.first));
    this.timeline = new Timeline(
      this.tape,
      {
        scroller: byId("scroller"),
        extent: byId("extent"),
        canvas: byId("canvas"),
        hint: byId("hint"),
      },
      (call) => this.choose(call, call.first),
    );
    const failedAt = this.failure?.event ?? null;
    this.failedCall = failedAt === null ? null : this.tape.callOf[failedAt] ?? null;
    this.timeline.failedEvent = this.failedCall && failedAt;
    this.showTop();
    this.offerFilters();
    this.listen();
    this.refilter();
    this.followAddress();
    this.showAxis();
  }

  get chosen() {
    return this.list.chosen;
  }

  showTop() {
    const { about, calls, count, duration: length } = this.tape;
    byId("title").textContent = about.name;
    document.title = `${about.name} · vcr-gen`;
    const when = about.recorded_at ? new Date(about.recorded_at) : null;
    const facts = [
      counted(calls.length, "call"),
      counted(count, "event"),
      duration(length),
      when && !Number.isNaN(when.valueOf()) ? `recorded ${readableDate(when)}` : null,
      about.path,
    ];
    byId("facts").append(...facts.filter(Boolean).map((fact) => make("span", {}, fact)));
    if (about.problem) {
      byId("facts").append(make("span", { class: "problem" }, `interrupted: ${about.problem}`));
    }
    if (this.failure) {
      showFailure(this.tape, this.failure);
    }
    byId("scroller").setAttribute(
      "aria-label",
      `Timeline of ${counted(calls.length, "call")}. Left and right go from call to call.`,
    );
  }

  // Filters ------------------------------------------------------------------------------------

  offerFilters() {
    const { calls } = this.tape;
    const count = (key) => {
      const counts = new Map();
      for (const call of calls) {
        counts.set(key(call), (counts.get(key(call)) ?? 0) + 1);
      }
      return counts;
    };
    const boundaries = count((call) => call.boundary);
    this.offer("boundaries", boundaries, (chip, name) => {
      chip.style.setProperty("--boundary", `var(--color-${colorOf(this.tape, name)})`);
      chip.prepend(make("span", { class: "dot" }));
    });
    const statuses = count((call) => call.status);
    const ordered = STATUSES.filter((status) => statuses.has(status));
    this.offer("statuses", new Map(ordered.map((status) => [status, statuses.get(status)])));
    this.offer("directions", count((call) => (call.inbound ? "inbound" : "outbound")));
    const methods = count((call) => call.of);
    byId("method").append(
      make("option", { value: "" }, "every method"),
      ...[...methods].map(([of, number]) => make("option", { value: of }, `${of} (${number})`)),
    );
  }

  /** Chips that can be pressed, one for each value that there is. */
  offer(group, counts, decorate = () => {}) {
    const box = byId(group);
    box.hidden = counts.size < 2;
    for (const [value, number] of counts) {
      const chip = make(
        "button",
        { type: "button", class: "chip", "aria-pressed": "false" },
        make("span", {}, value),
        make("span", { class: "count" }, number.toLocaleString("en")),
      );
      chip.dataset.value = value;
      chip.addEventListener("click", () => {
        const chosen = this.filter[group];
        chosen.has(value) ? chosen.delete(value) : chosen.add(value);
        this.refilter();
      });
      decorate(chip, value);
      box.append(chip);
    }
  }

  /** Show what the filter lets through, and how it is set. */
  refilter() {
    const shown = this.filter.choose(this.tape);
    const seen = new Set(shown);
    for (const call of this.tape.calls) {
      call.shown = seen.has(call);
    }
    for (const chip of document.querySelectorAll(".chip")) {
      const pressed = this.filter[chip.parentElement.id].has(chip.dataset.value);
      chip.setAttribute("aria-pressed", `${pressed}`);
    }
    byId("clear").hidden = this.filter.isOpen;
    const all = this.tape.calls.length;
    byId("shown").textContent = this.filter.isOpen
      ? ""
      : `${shown.length.toLocaleString("en")} of ${counted(all, "call")}`;
    this.list.show(this.tape, shown, this.failedCall);
    this.timeline.redraw();
  }

  clearFilters() {
    this.filter.clear();
    byId("search").value = "";
    byId("method").value = "";
    this.refilter();
  }

  // Choosing -----------------------------------------------------------------------------------

  /** Show a call, or with null the session; `event` is the one of its events that is meant. */
  choose(call, event = null) {
    this.event = event;
    this.list.choose(call);
    this.timeline.choose(call);
    this.showDetails(call, event);
    byId("said").textContent = call ? `event ${event}, ${call.of}, ${call.status}` : "";
    const hash = event === null ? "" : `#${this.tape.hash(event)}`;
    if (location.hash !== hash) {
      history.replaceState(null, "", hash || location.pathname + location.search);
    }
  }

  showDetails(call, event) {
    const panel = byId("details");
    if (call === null) {
      panel.replaceChildren(...showSession(this.tape));
    } else {
      const diverged =
        call === this.failedCall
          ? make(
              "section",
              { class: "diverged" },
              make("h3", {}, "The replay diverged here"),
              make("p", {}, this.failure.headline),
              showDifferences(this.failure.differences),
            )
          : null;
      panel.replaceChildren(...showCall(this.tape, call, event, diverged));
    }
    panel.scrollTop = 0;
    panel.querySelector(".wanted")?.scrollIntoView({ block: "center" });
  }

  /** Go where the address points: `#event-12`. */
  followAddress() {
    const found = /^#event-(\d+)$/.exec(location.hash);
    const event = found ? Number(found[1]) : this.failure?.event ?? null;
    const call = (event !== null && this.tape.callOf[event]) || null;
    if (call && !call.shown) {
      this.clearFilters();
    }
    this.choose(call, call && event);
  }

  /** Choose the next call that did not return; after the last one, the first. */
  nextTrouble() {
    const from = this.list.positionOf(this.chosen);
    const { calls } = this.list;
    const troubled = (call) => call.status !== "returned" || call === this.failedCall;
    const next = calls.find((call, index) => index > from && troubled(call)) ?? calls.find(troubled);
    if (next) {
      this.choose(next, next.first);
    }
  }

  step(distance) {
    const call = this.list.neighbour(distance);
    if (call) {
      this.choose(call, call.first);
    }
  }

  // Listening ----------------------------------------------------------------------------------

  listen() {
    byId("search").addEventListener("input", (event) => {
      this.filter.words = event.target.value;
      this.refilter();
    });
    byId("method").addEventListener("change", (event) => {
      this.filter.method = event.target.value;
      this.refilter();
    });
    byId("clear").addEventListener("click", () => this.clearFilters());
    byId("by-time").addEventListener("click", () => this.across(false));
    byId("by-order").addEventListener("click", () => this.across(true));
    byId("zoom-in").addEventListener("click", () => this.timeline.zoomBy(1.6));
    byId("zoom-out").addEventListener("click", () => this.timeline.zoomBy(1 / 1.6));
    byId("zoom-fit").addEventListener("click", () => this.timeline.fit());
    byId("help-button").addEventListener("click", () => byId("help").showModal());
    addEventListener("hashchange", () => this.followAddress());
    addEventListener("keydown", (event) => this.key(event));
  }

  across(byOrder) {
    this.timeline.across(byOrder);
    this.showAxis();
  }

  showAxis() {
    byId("by-time").setAttribute("aria-pressed", `${!this.timeline.byOrder}`);
    byId("by-order").setAttribute("aria-pressed", `${this.timeline.byOrder}`);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) {
      return;
    }
    const action = this.actionOf(event);
    if (action) {
      event.preventDefault();
      action();
    }
  }

  actionOf(event) {
    const { target, key } = event;
    if (key === "Escape") {
      return () => this.back(target);
    }
    if (target === byId("search")) {
      return key === "Enter" || key === "ArrowDown" ? () => this.enterList() : null;
    }
    if (target.closest("select, textarea, input")) {
      return null;
    }
    const common = {
      "/": () => byId("search").select(),
      j: () => this.step(1),
      k: () => this.step(-1),
      e: () => this.nextTrouble(),
      "?": () => byId("help").showModal(),
      "+": () => this.timeline.zoomBy(1.6),
      "=": () => this.timeline.zoomBy(1.6),
      "-": () => this.timeline.zoomBy(1 / 1.6),
      0: () => this.timeline.fit(),
    };
    const inList = {
      ArrowDown: () => this.step(1),
      ArrowUp: () => this.step(-1),
      PageDown: () => this.step(this.list.pageLength),
      PageUp: () => this.step(-this.list.pageLength),
      Home: () => this.step(-Infinity),
      End: () => this.step(Infinity),
      Enter: () => this.enterDetails(),
    };
    const inTimeline = {
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      Enter: () => this.enterDetails(),
    };
    const here =
      target === byId("scroller") ? inTimeline : target.closest("button, a, summary, aside") ? {} : inList;
    return own(common, key) ?? own(here, key) ?? null;
  }

  enterList() {
    byId("list").focus();
    if (this.list.positionOf(this.chosen) < 0) {
      this.step(1);
    }
  }

  enterDetails() {
    if (this.chosen === null) {
      this.step(1);
    }
    byId("details").focus();
  }

  /** One step back: from the details to the list, from a search to all calls, to the session. */
  back(target) {
    if (target.closest("aside")) {
      byId("list").focus();
    } else if (!this.filter.isOpen) {
      this.clearFilters();
      byId("list").focus();
    } else {
      this.choose(null);
      byId("list").focus();
    }
  }
}

function readTape(about, index) {
  const tape = new Tape(about, document.querySelectorAll(`script[data-tape="${index}"]`));
  const names = [...new Set(tape.calls.map((call) => call.boundary))];
  tape.colors = new Map(names.map((name, position) => [name, position % COLORS]));
  tape.hash = (event) => `event-${event}`;
  return tape;
}

function readableDate(date) {
  return date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

const written = JSON.parse(byId("report").textContent);
if (written.version === KNOWN_VERSION) {
  new Report(written);
} else {
  byId("title").textContent = `This page cannot show a report of version ${written.version}`;
}
