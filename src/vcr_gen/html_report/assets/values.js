/*
 * Recorded values as elements: what is typed says its type, text of several lines keeps them, and
 * what is long opens when asked.
 */

const LONG_TEXT = 3000;
const MANY_PARTS = 100;

/** A value and everything in it. */
function showValue(value) {
  if (value instanceof Map) {
    return showMapping(value);
  }
  if (Array.isArray(value)) {
    return showParts(value.map((item, index) => [`${index}`, item]), "an empty list", "list");
  }
  if (typeof value === "string") {
    return showText(value);
  }
  if (value instanceof Numeral) {
    return make("span", { class: "value number" }, value.text);
  }
  return make("span", { class: "value word" }, value === undefined ? "nothing" : `${value}`);
}

function showMapping(fields) {
  const short = asIs(fields);
  if (short !== null) {
    return make("span", { class: "value word" }, short);
  }
  const type = fields.get("$type");
  if (typeof type !== "string") {
    return showParts([...fields], "an empty mapping", "mapping");
  }
  const rest = [...fields].filter(([name]) => name !== "$type");
  const plain = rest.length === 1 && rest[0][0] === "$value";
  return make(
    "div",
    { class: "typed" },
    showType(type),
    plain ? showValue(rest[0][1]) : showParts(rest, "no fields", "mapping"),
  );
}

/** The name of a type; all of it when pointed at. */
function showType(type) {
  return make("span", { class: "type", title: type }, shortType(type));
}

/** A type without the modules that its names come from. */
function shortType(type) {
  return type.replace(/(?<![\w"'])(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])/g, "");
}

/** Named parts below each other, the first of them at once. */
function showParts(parts, nothing, kind) {
  if (parts.length === 0) {
    return make("span", { class: "value nothing" }, nothing);
  }
  const box = make("dl", { class: `parts ${kind}` });
  let shown = 0;
  const more = make("button", { type: "button", class: "more", click: showMore });

  function showMore() {
    const until = Math.min(parts.length, shown + MANY_PARTS);
    more.remove();
    for (; shown < until; shown++) {
      const [name, part] = parts[shown];
      box.append(make("div", {}, make("dt", {}, name), make("dd", {}, showValue(part))));
    }
    if (shown < parts.length) {
      more.textContent = `${counted(parts.length - shown, "more part")}`;
      box.append(more);
    }
  }

  showMore();
  return box;
}

function showText(text) {
  const lines = text.includes("\n");
  const box = make(lines ? "pre" : "span", { class: `value text${lines ? " lines" : ""}` });
  const quoted = (part) => (lines ? part : `"${part}"`);
  if (text.length <= LONG_TEXT) {
    box.textContent = quoted(text);
    return box;
  }
  box.textContent = `${text.slice(0, LONG_TEXT)}…`;
  const label = `all ${counted(text.length, "character")}`;
  const more = make("button", { type: "button", class: "more" }, label);
  more.addEventListener("click", () => {
    box.textContent = quoted(text);
    more.remove();
  });
  return make("div", {}, box, more);
}
