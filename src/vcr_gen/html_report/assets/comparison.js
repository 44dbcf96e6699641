/*
 * Two cassettes side by side as the subject of the page: an item of the list is a pair of calls,
 * or a call that only one of the two has.
 */

const CHANGES = ["modified", "added", "removed", "moved", "same"];
const BREAKING = "breaking";
const CHANGE_SIGNS = { modified: "~", added: "+", removed: "-", moved: "↕", same: "" };
const BEFORE_AND_AFTER = [
  { title: "Before", tone: "bad" },
  { title: "After", tone: "good" },
];

class Comparison {
  constructor(tapes, headerChanges) {
    this.tapes = tapes;
    this.headerChanges = headerChanges;
    this.items = pairUp(tapes, readDifferences());
    this.noun = "pair";
    this.kind = "comparison";
    this.titles = ["", "before", "after", "what changed"];
    this.trouble = "next difference";
  }

  get title() {
    const [before, after] = this.tapes.map((tape) => tape.about.name);
    return before === after ? `${before}: before and after` : `${before} → ${after}`;
  }

  get facts() {
    const kinds = CHANGES.slice(0, -1)
      .map((kind) => [kind, this.items.filter((item) => item.kind === kind).length])
      .filter(([, number]) => number);
    const breaking = this.items.filter((item) => item.breaking).length;
    const found = kinds.map(([kind, number]) => `${number} ${kind}`).join(", ");
    return [
      found || "no call differs",
      breaking ? `${breaking} breaking` : null,
      this.headerChanges.length ? `${this.headerChanges.length} in the headers` : null,
      `before: ${this.tapes[0].about.path}`,
      `after: ${this.tapes[1].about.path}`,
    ];
  }

  get first() {
    const item = this.items.find((candidate) => candidate.kind !== "same");
    return item ? [item.calls[0], item.calls[0].first] : null;
  }

  isTrouble(item) {
    return item.kind !== "same";
  }

  fill(item, row) {
    row.classList.add(item.kind);
    row.classList.toggle("breaking", item.breaking);
    const side = (call) =>
      make(
        "span",
        { class: call ? "side" : "side missing" },
        call ? make("span", { class: "event" }, `${call.first}`) : null,
        call ? showNamed(call) : null,
      );
    row.append(
      make("span", { class: "sign", title: item.kind }, CHANGE_SIGNS[item.kind]),
      side(item.before),
      side(item.after),
      make(
        "span",
        { class: "outcome" },
        item.breaking ? make("strong", {}, "breaking ") : null,
        changeInOneLine(item),
      ),
    );
  }

  details(call, event) {
    const { item } = call;
    const both = item.before && item.after;
    return [
      showHeading(call),
      make(
        "p",
        { class: "change" },
        item.breaking ? make("strong", {}, "breaking ") : null,
        item.kind === "same" ? "the same in both" : item.kind,
      ),
      showDifferences(item.changes, BEFORE_AND_AFTER),
      make(
        "div",
        { class: both ? "sides" : "sides one" },
        ...[
          ["Before", item.before],
          ["After", item.after],
        ]
          .filter(([, one]) => one)
          .map(([title, one]) =>
            make(
              "section",
              { class: "side" },
              make("h2", {}, title, showStatus(one.status)),
              ...showSaid(one, one === call ? event : null),
            ),
          ),
      ),
    ].filter(Boolean);
  }

  overview() {
    return [
      make(
        "header",
        {},
        make("h2", {}, "Two recordings"),
        make("p", { class: "lead" }, "Choose a pair to see both sides of it. Times do not count."),
      ),
      this.headerChanges.length
        ? section("In the headers", showDifferences(this.headerChanges, BEFORE_AND_AFTER))
        : null,
      ...this.tapes.map((tape, side) => section(side ? "After" : "Before", showMethods(tape))),
    ].filter(Boolean);
  }
}

/** What changed: the fields, and where the end of the call did, how. */
function changeInOneLine({ kind, changes }) {
  if (kind !== "modified") {
    return kind === "same" ? "" : kind;
  }
  const fields = changes.map(({ field, reason }) => (field === "outcome" ? reason : field));
  return shortened(fields.join(", "), 80);
}

function readDifferences() {
  return [...document.querySelectorAll("script[data-differences]")].flatMap((block) =>
    block.textContent.split("\n").filter(Boolean).map((line) => JSON.parse(line)),
  );
}

/**
 * All pairs in order. What differs was found when the page was written; whatever is left on both
 * sides is the same, one by one.
 */
function pairUp(tapes, differences) {
  const [before, after] = tapes;
  const known = new Map();
  for (const found of differences) {
    const pair = {
      before: found.before === null ? null : before.callOf[found.before],
      after: found.after === null ? null : after.callOf[found.after],
      kind: found.kind,
      breaking: found.breaking,
      changes: found.changes,
    };
    for (const call of [pair.before, pair.after].filter(Boolean)) {
      known.set(call, pair);
    }
  }
  const rest = after.calls.filter((call) => !known.has(call) && isCall(call));
  const sames = before.calls.filter((call) => !known.has(call) && isCall(call));
  sames.forEach((call, position) => {
    const other = rest[position] ?? null;
    const pair = { before: call, after: other, kind: "same", breaking: false, changes: [] };
    known.set(call, pair);
    known.set(other, pair);
  });
  return inOrder(tapes, known);
}

/** Both sides from top to bottom: what only the later tape has stands where it happened there. */
function inOrder([before, after], known) {
  const items = [];
  const placed = new Set();
  const add = (pair) => {
    if (pair && !placed.has(pair)) {
      placed.add(pair);
      const calls = [pair.before, pair.after].filter(Boolean);
      const labels = pair.breaking ? [pair.kind, BREAKING] : [pair.kind];
      const item = { ...pair, index: items.length, calls, labels, shown: true };
      calls.forEach((call) => (call.item = item));
      items.push(item);
    }
  };
  let next = 0;
  for (const call of before.calls) {
    const pair = known.get(call);
    if (pair?.after && pair.kind !== "moved") {
      for (; next < after.calls.length && after.calls[next] !== pair.after; next++) {
        add(known.get(after.calls[next]));
      }
    }
    add(pair);
  }
  after.calls.forEach((call) => add(known.get(call)));
  return items;
}

/** Jobs of executors are no calls over a boundary, and are not compared. */
function isCall(call) {
  return call.of !== "executor.job";
}
