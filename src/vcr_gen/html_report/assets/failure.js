/*
 * A replay that failed: what was expected against what came, and where. Also what any two values
 * look like side by side.
 */

const EXPECTED_AND_CAME = [
  { title: "Recorded", tone: "good" },
  { title: "Actual", tone: "bad" },
];

/** The banner above everything else. */
function showFailure(tape, failure) {
  const banner = byId("failure");
  const parts = [
    make("p", { class: "kicker" }, "The replay failed", failure.test ? ` in ${failure.test}` : ""),
    make("h2", {}, failure.headline),
    failure.likely ? make("p", {}, `Likely: ${failure.likely}.`) : null,
    make("p", { class: "places" }, ...failurePlaces(tape, failure)),
    showExpectedAndCame(failure),
    showDifferences(failure.differences),
    showAdvice(failure),
    showMore(tape, failure),
  ];
  banner.append(...parts.filter(Boolean));
  banner.hidden = false;
}

function failurePlaces(tape, failure) {
  const places = [];
  if (failure.event !== null) {
    places.push(make("span", {}, linkTo(tape, failure.event, `Show event ${failure.event}`)));
  }
  if (failure.place) {
    places.push(make("code", {}, failure.place));
  }
  if (failure.called_at) {
    places.push(make("span", {}, "called at ", make("code", {}, failure.called_at)));
  }
  return places;
}

/** Both sides in one line each; the differences, where there are any, say it better. */
function showExpectedAndCame(failure) {
  if (!failure.came || failure.differences.length) {
    return null;
  }
  const values = [failure.expected, failure.came];
  return make(
    "dl",
    { class: "against" },
    ...EXPECTED_AND_CAME.map(({ title, tone }, index) =>
      make("div", { class: tone }, make("dt", {}, title), make("dd", {}, values[index])),
    ),
  );
}

function showAdvice({ hint, commands }) {
  const told = commands.filter((command) => !hint.includes(command));
  return hint || told.length
    ? make(
        "p",
        { class: "advice" },
        hint,
        ...told.flatMap((command) => [" ", make("code", {}, command)]),
      )
    : null;
}

function showMore(tape, { sections }) {
  if (sections.length === 0) {
    return null;
  }
  const row = ({ text, event }) =>
    make("dd", {}, event === null ? null : linkTo(tape, event, `${event}`), ` ${text}`);
  return make(
    "details",
    {},
    make("summary", {}, "More about it"),
    make(
      "dl",
      {},
      ...sections.map(({ title, rows }) =>
        make("div", {}, make("dt", {}, title), ...rows.map(row)),
      ),
    ),
  );
}

/** The failure again, among the details of the call where it happened. */
function showFailedHere(failure) {
  return make(
    "section",
    { class: "diverged" },
    make("h3", {}, failure.unused.length ? "The replay failed" : "The replay diverged here"),
    make("p", {}, failure.headline),
    showExpectedAndCame(failure),
    showDifferences(failure.differences),
  );
}

/** Field by field: what was there before on the left, what came on the right. */
function showDifferences(differences, sides = EXPECTED_AND_CAME) {
  if (differences.length === 0) {
    return null;
  }
  const titles = ["Field", ...sides.map((side) => side.title)];
  const listed = differences.slice(0, MANY_PARTS);
  const rows = listed.map((difference) => showDifference(difference, sides));
  const rest = differences.length - listed.length;
  return make(
    "div",
    { class: "differences" },
    showTable(titles, rows),
    rest ? nothing(`and ${counted(rest, "more field")}`) : null,
  );
}

function showDifference({ field, reason, expected, came, breaking }, sides) {
  const values = [expected, came].map((text) => (text === null ? undefined : readExactly(text)));
  const texts = values.every((value) => typeof value === "string");
  const shown = texts ? showChanged(...values) : values.map(showValue);
  return make(
    "tr",
    {},
    make(
      "th",
      { scope: "row" },
      make("code", {}, ...breakable(field)),
      make("small", {}, reason),
      breaking ? make("strong", {}, "breaking") : null,
    ),
    ...sides.map(({ tone }, index) => make("td", { class: tone }, shown[index])),
  );
}

/** Two texts with what is not the same in both marked: whole lines, where there are several. */
function showChanged(before, after) {
  const lines = before.includes("\n") || after.includes("\n");
  const [a, b] = [before, after].map((text) => (lines ? text.split(/(?<=\n)/) : [...text]));
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) {
    start++;
  }
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) {
    end++;
  }
  return [a, b].map((parts) => {
    const [first, middle, last] = [
      parts.slice(0, start),
      parts.slice(start, parts.length - end),
      parts.slice(parts.length - end),
    ].map((some) => some.join(""));
    const content = [first, middle ? make("mark", {}, middle) : null, last];
    return lines
      ? make("pre", { class: "value text lines" }, ...content)
      : make("span", { class: "value text" }, '"', ...content, '"');
  });
}
