/*
 * The list of calls. Only the rows that can be seen are in the document, however many there are.
 */

const ROW_HEIGHT = 30;
const SPARE_ROWS = 8;

class CallList {
  /** `onChoose` is told the call that was clicked. */
  constructor(onChoose) {
    this.box = byId("list");
    this.rows = byId("rows");
    this.onChoose = onChoose;
    this.tape = null;
    this.calls = [];
    this.chosen = null;
    this.failed = null;
    this.box.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.box);
    this.rows.addEventListener("click", (event) => {
      const row = event.target.closest("[role=option]");
      if (row) {
        onChoose(this.calls[Number(row.dataset.position)]);
      }
    });
  }

  /** Show these calls, in this order; `failed` is the one at which a replay diverged. */
  show(tape, calls, failed = null) {
    Object.assign(this, { tape, calls, failed });
    byId("empty").hidden = calls.length > 0;
    this.rows.style.height = `${calls.length * ROW_HEIGHT}px`;
    this.draw();
  }

  /** Mark a call, and bring it into view. */
  choose(call) {
    this.chosen = call;
    const position = this.positionOf(call);
    if (position >= 0) {
      const top = position * ROW_HEIGHT;
      const { scrollTop, clientHeight } = this.box;
      if (top < scrollTop || top + ROW_HEIGHT > scrollTop + clientHeight) {
        this.box.scrollTop = top - clientHeight / 3;
      }
    }
    this.draw();
  }

  /** Where a call stands in the list; -1 where it is filtered out. */
  positionOf(call) {
    if (call === null) {
      return -1;
    }
    let low = 0;
    let high = this.calls.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.calls[middle].index < call.index) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return this.calls[low] === call ? low : -1;
  }

  /** The call some rows further on from the one that is chosen. */
  neighbour(distance) {
    const { calls, chosen } = this;
    if (calls.length === 0) {
      return null;
    }
    let position = this.positionOf(chosen);
    if (position < 0) {
      // The chosen call is not in the list: go on from where it would be.
      const later = chosen === null ? 0 : calls.findIndex((call) => call.index > chosen.index);
      position = (later < 0 ? calls.length : later) - (distance > 0 ? 1 : 0);
    }
    return calls[Math.max(0, Math.min(calls.length - 1, position + distance))];
  }

  get pageLength() {
    return Math.max(1, Math.floor(this.box.clientHeight / ROW_HEIGHT) - 1);
  }

  draw() {
    const { scrollTop, clientHeight } = this.box;
    const from = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - SPARE_ROWS);
    const until = Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT) + SPARE_ROWS;
    const seen = this.calls.slice(from, until);
    this.rows.replaceChildren(...seen.map((call, index) => this.row(call, from + index)));
    const chosen = this.rows.querySelector("[aria-selected=true]");
    if (chosen) {
      this.box.setAttribute("aria-activedescendant", chosen.id);
    } else {
      this.box.removeAttribute("aria-activedescendant");
    }
  }

  row(call, position) {
    const { tape } = this;
    const status = call.status.replace(" ", "-");
    const given = [...tape.argumentsOf(call)]
      .map(([name, value]) => `${name}: ${inOneLine(value, 80)}`)
      .join(", ");
    const row = make(
      "div",
      {
        id: `call-${call.number}`,
        role: "option",
        class: `row ${status}${call === this.failed ? " diverged" : ""}`,
        "data-position": position,
        "aria-posinset": position + 1,
        "aria-setsize": this.calls.length,
        "aria-selected": call === this.chosen ? "true" : "false",
      },
      make("span", { class: "event" }, `${call.first}`),
      make(
        "span",
        { class: "name" },
        make("span", { class: "dot" }),
        make("span", { class: "arrow", title: call.inbound ? "inbound" : "outbound" },
          call.inbound ? "→" : "←"),
        make("b", {}, make("span", { class: "of" }, `${call.boundary}.`), call.method),
        make("span", { class: "given" }, given),
      ),
      make("span", { class: "outcome" }, this.outcome(call)),
      make("span", { class: "took" }, call.took === null ? "–" : duration(call.took)),
    );
    row.style.transform = `translateY(${position * ROW_HEIGHT}px)`;
    row.style.setProperty("--boundary", `var(--color-${colorOf(tape, call.boundary)})`);
    row.style.setProperty("--depth", Math.min(call.depth, 6));
    return row;
  }

  outcome(call) {
    const sign = make("span", { class: "sign", title: call.status }, STATUS_SIGNS[call.status]);
    if (call === this.failed) {
      return make("span", {}, sign, make("strong", {}, "the replay diverged here"));
    }
    const items = call.steps.filter((step) => step.kind === "item").length;
    const said = items ? `${counted(items, "item")}` : "";
    const end =
      call.status === "returned" && !(items && this.tape.resultOf(call) === null)
        ? inOneLine(this.tape.resultOf(call), 120)
        : call.status === "raised"
          ? raisedInOneLine(this.tape.resultOf(call))
          : call.status === "returned"
            ? ""
            : call.status;
    return make("span", {}, sign, [said, end].filter(Boolean).join(", "));
  }
}

/** An exception as Python would print it. */
function raisedInOneLine(value) {
  if (!(value instanceof Map)) {
    return inOneLine(value, 120);
  }
  const given = value.get("args") ?? [];
  const words = Array.isArray(given) ? given.map((item) => inOneLine(item, 100)) : [];
  return `${lastName(String(value.get("$type")))}: ${words.join(", ")}`;
}

/** The number of a boundary's colour. */
function colorOf(tape, boundary) {
  return tape.colors.get(boundary) ?? 0;
}
