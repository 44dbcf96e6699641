/*
 * Puts the page to work: connects filters, list, timelines and details, and listens to keys and to
 * the address.
 */

const KNOWN_VERSION = 1;
const ZOOM_STEP = 1.6;

class Report {
  /** `subject` is what the page is about: a session, or a comparison of two. */
  constructor(subject) {
    this.subject = subject;
    this.filter = new Filter();
    this.list = new ItemList(
      (item, row) => subject.fill(item, row),
      (item) => this.chooseItem(item),
    );
    this.timelines = subject.tapes.map((tape, index) => {
      const timeline = new Timeline(tape, (call) => this.choose(call, call.first));
      timeline.title = subject.tapes.length > 1 ? ["Before", "After"][index] : "";
      return timeline;
    });
    if (subject.failedCall) {
      this.timelines[0].failedEvent = subject.failure.event;
      this.timelines[0].failedWords = subject.unused.size ? "not used" : "diverged here";
    }
    if (subject.failure) {
      this.across(true); // where a replay failed is a matter of order
    }
    this.showTop();
    this.offerFilters();
    this.listen();
    this.refilter();
    this.followAddress();
    this.showAxis();
  }

  showTop() {
    const { subject } = this;
    document.body.classList.add(subject.kind);
    byId("title").textContent = subject.title;
    document.title = `${subject.title} · vcr-gen`;
    byId("facts").append(...subject.facts.filter(Boolean).map((fact) => make("span", {}, fact)));
    for (const { about } of subject.tapes) {
      if (about.problem) {
        byId("facts").append(make("span", { class: "problem" }, `interrupted: ${about.problem}`));
      }
    }
    if (subject.failure) {
      showFailure(subject.tapes[0], subject.failure);
    }
    byId("columns").append(...subject.titles.map((title) => make("span", {}, title)));
    byId("trouble").textContent = subject.trouble;
  }

  // Filters ------------------------------------------------------------------------------------

  offerFilters() {
    const calls = this.subject.tapes.flatMap((tape) => tape.calls);
    const count = (values) => {
      const counts = new Map();
      for (const value of values) {
        counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      return counts;
    };
    const inThisOrder = (order, counts) => {
      const there = order.filter((value) => counts.has(value));
      return new Map(there.map((value) => [value, counts.get(value)]));
    };
    const colors = new Map(calls.map((call) => [call.boundary, boundaryColor(call)]));
    this.offer("boundaries", count(calls.map((call) => call.boundary)), (chip, name) => {
      chip.style.setProperty("--boundary", colors.get(name));
      chip.prepend(make("span", { class: "dot" }));
    });
    const labels = count(this.subject.items.flatMap((item) => item.labels));
    this.offer("changes", inThisOrder([BREAKING, ...CHANGES], labels));
    this.offer("statuses", inThisOrder(STATUSES, count(calls.map((call) => call.status))));
    const directions = calls.map((call) => (call.inbound ? "inbound" : "outbound"));
    this.offer("directions", count(directions));
    const methods = count(calls.map((call) => call.name));
    byId("method").append(
      make("option", { value: "" }, "every method"),
      ...[...methods].map(([name, number]) =>
        make("option", { value: name }, `${name} (${number})`),
      ),
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
    const { items, noun } = this.subject;
    const shown = this.filter.choose(items);
    const seen = new Set(shown);
    for (const item of items) {
      item.shown = seen.has(item);
    }
    for (const chip of document.querySelectorAll(".chip")) {
      const pressed = this.filter[chip.parentElement.id].has(chip.dataset.value);
      chip.setAttribute("aria-pressed", `${pressed}`);
    }
    byId("clear").hidden = this.filter.isOpen;
    byId("shown").textContent = this.filter.isOpen
      ? ""
      : `${shown.length.toLocaleString("en")} of ${counted(items.length, noun)}`;
    this.list.show(shown);
    this.timelines.forEach((timeline) => timeline.redraw());
  }

  clearFilters() {
    this.filter.clear();
    byId("search").value = "";
    byId("method").value = "";
    this.refilter();
  }

  // Choosing -----------------------------------------------------------------------------------

  chooseItem(item) {
    this.choose(item.calls[0], item.calls[0].first);
  }

  /** Show a call, or with null the whole; `event` is the one of its events that is meant. */
  choose(call, event = null) {
    const item = call?.item ?? null;
    if (item === null) {
      call = null; // jobs of executors are in no comparison
    }
    this.list.choose(item);
    for (const timeline of this.timelines) {
      timeline.choose(item?.calls.find((one) => one.tape === timeline.tape) ?? null);
    }
    const panel = byId("details");
    panel.replaceChildren(
      ...(item ? this.subject.details(call, event) : this.subject.overview()),
    );
    panel.scrollTop = 0;
    panel.querySelector(".wanted")?.scrollIntoView({ block: "center" });
    byId("said").textContent = call ? `event ${event}, ${call.name}, ${call.status}` : "";
    const hash = call ? `#${call.tape.hash(event)}` : "";
    if (location.hash !== hash) {
      history.replaceState(null, "", hash || location.pathname + location.search);
    }
  }

  /** Go where the address points: `#event-12`, in the later of two tapes `#after-event-12`. */
  followAddress() {
    const [, side, number] = /^#(after-)?event-(\d+)$/.exec(location.hash) ?? [];
    const tape = this.subject.tapes[side ? 1 : 0];
    const call = tape?.callOf[Number(number)] ?? null;
    if (call?.item) {
      if (!call.item.shown) {
        this.clearFilters();
      }
      this.choose(call, Number(number));
    } else if (number === undefined && this.subject.first) {
      this.choose(...this.subject.first);
    } else {
      this.choose(null);
    }
  }

  /** Choose the next item that somebody should look at; after the last one, the first. */
  nextTrouble() {
    const from = this.list.positionOf(this.list.chosen);
    const { items } = this.list;
    const troubled = (item) => this.subject.isTrouble(item);
    const further = items.find((item, index) => index > from && troubled(item));
    const next = further ?? items.find(troubled);
    if (next) {
      this.chooseItem(next);
    }
  }

  step(distance) {
    const item = this.list.neighbour(distance);
    if (item) {
      this.chooseItem(item);
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
    byId("zoom-in").addEventListener("click", () => this.zoom(ZOOM_STEP));
    byId("zoom-out").addEventListener("click", () => this.zoom(1 / ZOOM_STEP));
    byId("zoom-fit").addEventListener("click", () => this.fit());
    byId("help-button").addEventListener("click", () => byId("help").showModal());
    addEventListener("hashchange", () => this.followAddress());
    addEventListener("keydown", (event) => this.key(event));
  }

  across(byOrder) {
    this.timelines.forEach((timeline) => timeline.across(byOrder));
    this.showAxis();
  }

  zoom(factor) {
    this.timelines.forEach((timeline) => timeline.zoomBy(factor));
  }

  fit() {
    this.timelines.forEach((timeline) => timeline.fit());
  }

  showAxis() {
    const { byOrder } = this.timelines[0];
    byId("by-time").setAttribute("aria-pressed", `${!byOrder}`);
    byId("by-order").setAttribute("aria-pressed", `${byOrder}`);
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
      "+": () => this.zoom(ZOOM_STEP),
      "=": () => this.zoom(ZOOM_STEP),
      "-": () => this.zoom(1 / ZOOM_STEP),
      0: () => this.fit(),
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
    let here = inList;
    if (target.closest(".scroller")) {
      here = inTimeline;
    } else if (target.closest("button, a, summary, aside")) {
      here = {}; // these keys are theirs
    }
    return own(common, key) ?? own(here, key) ?? null;
  }

  enterList() {
    byId("list").focus();
    if (this.list.positionOf(this.list.chosen) < 0) {
      this.step(1);
    }
  }

  enterDetails() {
    if (this.list.chosen === null) {
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

function subjectOf({ tapes, failure, header_changes: headerChanges }) {
  const read = readTapes(tapes);
  return read.length > 1 ? new Comparison(read, headerChanges) : new Session(read[0], failure);
}

const written = JSON.parse(byId("report").textContent);
if (written.version === KNOWN_VERSION) {
  new Report(subjectOf(written));
} else {
  byId("title").textContent = `This page cannot show a report of version ${written.version}`;
}
