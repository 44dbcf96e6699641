/*
 * The list. Only the rows that can be seen are in the document, however many items there are.
 */

const ROW_HEIGHT = 30;
const SPARE_ROWS = 8;

class ItemList {
  /** `cells` makes the inside of a row; `onChoose` is told the item that was clicked. */
  constructor(cells, onChoose) {
    this.box = byId("list");
    this.rows = byId("rows");
    this.cells = cells;
    this.items = [];
    this.chosen = null;
    this.box.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.box);
    this.rows.addEventListener("click", (event) => {
      const row = event.target.closest("[role=option]");
      if (row) {
        onChoose(this.items[Number(row.dataset.position)]);
      }
    });
  }

  /** Show these items, in this order. */
  show(items) {
    this.items = items;
    byId("empty").hidden = items.length > 0;
    this.rows.style.height = `${items.length * ROW_HEIGHT}px`;
    this.draw();
  }

  /** Mark an item, and bring it into view. */
  choose(item) {
    this.chosen = item;
    const position = this.positionOf(item);
    if (position >= 0) {
      const top = position * ROW_HEIGHT;
      const { scrollTop, clientHeight } = this.box;
      if (top < scrollTop || top + ROW_HEIGHT > scrollTop + clientHeight) {
        this.box.scrollTop = top - clientHeight / 3;
      }
    }
    this.draw();
  }

  /** Where an item stands in the list; -1 where it is filtered out. */
  positionOf(item) {
    const position = item === null ? -1 : this.place(item);
    return this.items[position] === item ? position : -1;
  }

  /** Where an item would stand: behind all that come before it. */
  place(item) {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.items[middle].index < item.index) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The item some rows further on from the one that is chosen. */
  neighbour(distance) {
    const { items, chosen } = this;
    let position = this.positionOf(chosen);
    if (position < 0) {
      position = (chosen === null ? 0 : this.place(chosen)) - (distance > 0 ? 1 : 0);
    }
    return items[Math.max(0, Math.min(items.length - 1, position + distance))] ?? null;
  }

  get pageLength() {
    return Math.max(1, Math.floor(this.box.clientHeight / ROW_HEIGHT) - 1);
  }

  draw() {
    const { scrollTop, clientHeight } = this.box;
    const from = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - SPARE_ROWS);
    const until = Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT) + SPARE_ROWS;
    const seen = this.items.slice(from, until);
    this.rows.replaceChildren(...seen.map((item, index) => this.row(item, from + index)));
    const chosen = this.rows.querySelector("[aria-selected=true]");
    if (chosen) {
      this.box.setAttribute("aria-activedescendant", chosen.id);
    } else {
      this.box.removeAttribute("aria-activedescendant");
    }
  }

  row(item, position) {
    const row = make("div", {
      id: `item-${item.index}`,
      role: "option",
      class: "row",
      "data-position": position,
      "aria-posinset": position + 1,
      "aria-setsize": this.items.length,
      "aria-selected": item === this.chosen ? "true" : "false",
    });
    row.style.transform = `translateY(${position * ROW_HEIGHT}px)`;
    this.cells(item, row);
    return row;
  }
}

/** A call's name and arguments on one line. */
function showNamed(call) {
  const { tape } = call;
  const given = tape.isLarge(call.first)
    ? tape.sizeOf(call.first)
    : [...tape.argumentsOf(call)]
        .map(([name, value]) => `${name}: ${inOneLine(value, 80)}`)
        .join(", ");
  const name = make(
    "span",
    { class: "name" },
    make("span", { class: "dot" }),
    showArrow(call),
    make("b", {}, make("span", { class: "of" }, call.prefix), call.label),
    make("span", { class: "given" }, given),
  );
  name.style.setProperty("--boundary", boundaryColor(call));
  name.style.setProperty("--depth", Math.min(call.depth, 6));
  return name;
}

function showArrow({ inbound }) {
  const title = inbound ? "inbound" : "outbound";
  return make("span", { class: "arrow", title }, inbound ? "←" : "→");
}

/** How a call ended, and with what, on one line. */
function outcomeInOneLine(call) {
  const items = call.steps.filter((step) => step.kind === "item").length;
  const parts = items ? [counted(items, "item")] : [];
  if (call.status === "cancelled" || call.status === "unfinished") {
    parts.push(call.status);
  } else if (call.tape.isLarge(call.last)) {
    parts.push(call.tape.sizeOf(call.last));
  } else if (call.status === "raised") {
    parts.push(raisedInOneLine(call.tape.resultOf(call)));
  } else {
    const result = call.tape.resultOf(call);
    parts.push(...(items && result === null ? [] : [inOneLine(result, 120)]));
  }
  return parts.join(", ");
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

/** The colour of a call's boundary, for the style of an element. */
function boundaryColor(call) {
  return `var(--color-${call.tape.colorOf(call.boundary)})`;
}
