/*
 * A replay that failed: what was expected against what came, and where.
 */

const EXPECTED_AND_CAME = [
  { title: "Recorded: expected", tone: "good" },
  { title: "Actual: came", tone: "bad" },
];

/** The banner above everything else. */
function showFailure(tape, failure) {
  const banner = byId("failure");
  const more = failure.sections.map(({ title, rows }) =>
    make("div", {}, make("dt", {}, title), ...rows.map((row) => make("dd", {}, row))),
  );
  banner.append(
    make("p", { class: "kicker" }, "The replay failed", failure.test ? ` in ${failure.test}` : ""),
    make("h2", {}, failure.headline),
    failure.likely ? make("p", {}, `Likely: ${failure.likely}.`) : null,
    failure.event === null
      ? null
      : make("p", {}, linkTo(tape, failure.event, `Show event ${failure.event}`), ` ${failure.place}`),
    showDifferences(failure.differences),
    more.length
      ? make("details", {}, make("summary", {}, "More about it"), make("dl", {}, ...more))
      : null,
    failure.hint ? make("p", { class: "advice" }, failure.hint) : null,
  );
  banner.hidden = false;
}

/** The failure again, among the details of the call where it happened. */
function showDiverged(failure) {
  return make(
    "section",
    { class: "diverged" },
    make("h3", {}, "The replay diverged here"),
    make("p", {}, failure.headline),
    showDifferences(failure.differences),
  );
}

/** Field by field: what was there before on the left, what came on the right. */
function showDifferences(differences, sides = EXPECTED_AND_CAME) {
  if (differences.length === 0) {
    return null;
  }
  const [before, after] = sides;
  const titles = ["Field", before.title, after.title];
  const side = (text, kind) =>
    make(
      "td",
      { class: kind },
      text === null ? make("span", { class: "value nothing" }, "nothing") : showValue(readExactly(text)),
    );
  const row = ({ field, reason, expected, came, text, breaking }) =>
    text !== undefined
      ? make("tr", {}, make("td", { colspan: "3" }, make("pre", { class: "lines" }, text)))
      : make(
          "tr",
          {},
          make(
            "th",
            { scope: "row" },
            make("code", {}, field),
            make("small", {}, reason),
            breaking ? make("strong", {}, "breaking") : null,
          ),
          side(expected, before.tone),
          side(came, after.tone),
        );
  return make(
    "div",
    { class: "differences" },
    make(
      "table",
      {},
      make("thead", {}, make("tr", {}, ...titles.map((title) => make("th", { scope: "col" }, title)))),
      make("tbody", {}, ...differences.map(row)),
    ),
  );
}
