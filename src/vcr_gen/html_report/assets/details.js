/*
 * The panel beside the list: everything about one call, or about the session where none is chosen.
 */

const MANY_STEPS = 200;

const STATUS_SIGNS = {
  returned: "✓",
  raised: "✗",
  cancelled: "⊘",
  "unfinished": "…",
};

function showStatus(status) {
  const name = status.replace(" ", "-");
  return make("span", { class: `status ${name}` }, `${STATUS_SIGNS[status]} ${status}`);
}

function showDirection(inbound) {
  return make(
    "span",
    { class: "direction" },
    inbound ? "← inbound: the environment called" : "→ outbound: the program called",
  );
}

/** A link to an event of the tape. */
function linkTo(tape, event, ...content) {
  return make("a", { href: `#${tape.hash(event)}` }, ...content);
}

/** Everything about a call; `event` is the one of its events that was asked for. */
function showCall(call, event, extra = null) {
  const { tape } = call;
  const { signature } = tape.methodOf(call);
  return [
    showHeading(call),
    extra,
    ...showSaid(call, event),
    showInside(tape, call),
    signature ? section("Signature", make("code", { class: "signature" }, signature)) : null,
  ].filter(Boolean);
}

function showHeading(call) {
  return make(
    "header",
    {},
    make("h2", {}, make("span", { class: "of" }, call.prefix), make("wbr"), call.label),
    make("p", { class: "marks" }, showStatus(call.status), showDirection(call.inbound)),
  );
}

/** What crossed the boundary, and when. */
function showSaid(call, event) {
  const { tape } = call;
  const { types } = tape.methodOf(call);
  const given = tape.argumentsOf(call);
  return [
    showFacts(tape, call),
    section("Arguments", given.size ? showArguments(given, types) : nothing("none")),
    call.steps.length ? section("Stream", showSteps(tape, call, event)) : null,
    showOutcome(tape, call, types),
  ].filter(Boolean);
}

function section(title, ...content) {
  return make("section", {}, make("h3", {}, title), ...content);
}

function nothing(text) {
  return make("p", { class: "value nothing" }, text);
}

function showFacts(tape, call) {
  const until = call.last === null || call.last === call.first ? "" : ` to ${call.last}`;
  const facts = [
    ["event", linkTo(tape, call.first, `${call.first}${until}`)],
    ["in the file", make("code", {}, `${tape.about.name}:${call.line}`)],
    ["began", call.start ? `${duration(call.start)} into the session` : "at once"],
    ["took", call.took === null ? "unfinished" : duration(call.took)],
    ["strand", strandName(call.strand)],
    call.on ? ["on", make("code", {}, call.on)] : null,
    call.parent ? ["within", linkTo(tape, call.parent.first, call.parent.name)] : null,
  ];
  return make(
    "dl",
    { class: "facts" },
    ...facts
      .filter(Boolean)
      .map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
  );
}

function showArguments(given, types) {
  const rows = [...given].map(([name, value]) =>
    make(
      "div",
      {},
      make("dt", {}, name, own(types, name) ? showType(types[name]) : null),
      make("dd", {}, showValue(value)),
    ),
  );
  return make("dl", { class: "arguments" }, ...rows);
}

function showOutcome(tape, call, types) {
  if (call.status === "unfinished") {
    return section("Result", nothing("the recording stopped before there was one"));
  }
  if (call.status === "cancelled") {
    return section("Result", nothing("none: whoever waited for it gave up"));
  }
  const raised = call.status === "raised";
  if (call.steps.length && !raised && tape.resultOf(call) === null) {
    return section("Result", nothing("the stream came to its end"));
  }
  const type = !raised && own(types, "return") ? showType(types.return) : null;
  return make(
    "section",
    { class: raised ? "raised" : "" },
    make("h3", {}, raised ? "Raised" : "Returned", type),
    showValue(tape.resultOf(call)),
  );
}

/** The steps of a stream, in portions: around the one that was asked for, which is marked. */
function showSteps(tape, call, event) {
  const { steps } = call;
  const wanted = steps.findIndex((step) => step.event === event);
  let from = Math.max(0, wanted - MANY_STEPS / 2);
  let until = from;
  const list = make("ol", { class: "steps" });
  const row = (position) => showStep(tape, steps[position], position === wanted);
  const earlier = make("button", { type: "button", class: "more", click: showEarlier });
  const later = make("button", { type: "button", class: "more", click: showLater });

  function showEarlier() {
    const first = Math.max(0, from - MANY_STEPS);
    const added = [];
    while (from > first) {
      added.unshift(row(--from));
    }
    list.prepend(...added);
    label();
  }

  function showLater() {
    const last = Math.min(steps.length, until + MANY_STEPS);
    while (until < last) {
      list.append(row(until++));
    }
    label();
  }

  function label() {
    earlier.hidden = from === 0;
    earlier.textContent = counted(from, "earlier step");
    later.hidden = until === steps.length;
    later.textContent = counted(steps.length - until, "more step");
  }

  showLater();
  return make("div", {}, earlier, list, later);
}

function showStep(tape, step, marked) {
  const value = tape.valueOf(step);
  return make(
    "li",
    { class: marked ? "wanted" : "", "aria-current": marked ? "true" : null },
    linkTo(tape, step.event, make("span", { class: "event" }, `${step.event}`)),
    make("span", { class: "at" }, duration(step.at)),
    step.words ? make("em", {}, step.words) : null,
    value === undefined ? null : showValue(value),
  );
}

function showInside(tape, call) {
  const inside = call.inbound ? tape.calls.filter((other) => other.parent === call) : [];
  if (inside.length === 0) {
    return null;
  }
  const links = inside.slice(0, MANY_PARTS).map((other) =>
    make(
      "li",
      {},
      linkTo(tape, other.first, make("span", { class: "event" }, `${other.first}`), other.name),
      showStatus(other.status),
    ),
  );
  const rest = inside.length - links.length;
  return section(
    `${counted(inside.length, "call")} inside it`,
    make("ol", { class: "inside" }, ...links),
    rest ? nothing(`and ${counted(rest, "more call")}`) : null,
  );
}

/** The session as a whole: what the file says about itself, and what was called how often. */
function showSession(tape) {
  const { about } = tape;
  const state = about.initial_state === null ? null : readExactly(about.initial_state);
  const settings = readExactly(about.settings);
  return [
    make(
      "header",
      {},
      make("h2", {}, "The session"),
      make("p", { class: "lead" }, "Choose a call in the list or the timeline to see all of it."),
    ),
    section("Methods", showMethods(tape)),
    state === null ? null : section("Initial state", showValue(state)),
    about.anchors.length
      ? section("Anchors", make("p", {}, ...about.anchors.flatMap(showAnchor)))
      : null,
    settings.size ? section("Settings", showValue(settings)) : null,
  ].filter(Boolean);
}

function showAnchor(name) {
  return [make("code", {}, `\${${name}}`), " "];
}

function showMethods(tape) {
  const counts = new Map();
  for (const call of tape.calls) {
    const known = counts.get(call.name) ?? { inbound: call.inbound, calls: 0, failed: 0, took: 0 };
    known.calls += 1;
    known.failed += call.status === "returned" ? 0 : 1;
    known.took += call.took ?? 0;
    counts.set(call.name, known);
  }
  const rows = [...counts].map(([name, { inbound, calls, failed, took }]) =>
    make(
      "tr",
      {},
      make("td", {}, make("span", { class: "arrow" }, inbound ? "←" : "→"), ...breakable(name)),
      make("td", {}, calls.toLocaleString("en")),
      make("td", {}, failed ? failed.toLocaleString("en") : "–"),
      make("td", {}, duration(took)),
    ),
  );
  return showTable(["method", "calls", "not returned", "time in all"], rows);
}

/** A name that may be broken after its dots, and not inside a word. */
function breakable(name) {
  return name.split(/(?<=\.)/).flatMap((part) => [part, make("wbr")]);
}

function showTable(titles, rows) {
  const heads = titles.map((title) => make("th", { scope: "col" }, title));
  return make(
    "table",
    {},
    make("thead", {}, make("tr", {}, ...heads)),
    make("tbody", {}, ...rows),
  );
}
