/*
 * One cassette as the subject of the page: an item of the list is a call.
 */

class Session {
  constructor(tape, failure) {
    this.tapes = [tape];
    this.failure = failure;
    this.items = tape.calls.map((call, index) => {
      call.item = { index, calls: [call], labels: [], shown: true };
      return call.item;
    });
    const failedAt = failure?.event ?? null;
    this.failedCall = failedAt === null ? null : tape.callOf[failedAt] ?? null;
    this.unused = new Set((failure?.unused ?? []).map((event) => tape.callOf[event]));
    this.noun = "call";
    this.kind = "session";
    this.titles = ["event", "call", "what came of it", "took"];
    this.trouble = "next call that did not return";
  }

  get tape() {
    return this.tapes[0];
  }

  get title() {
    return this.tape.about.name;
  }

  get facts() {
    const { about, calls, count, duration: length } = this.tape;
    return [
      counted(calls.length, "call"),
      counted(count, "event"),
      duration(length),
      `recorded ${readableDate(about.recorded_at)}`,
      about.path,
    ];
  }

  /** The call and event that are shown at first: where the replay failed, if one did. */
  get first() {
    return this.failedCall ? [this.failedCall, this.failure.event] : null;
  }

  isTrouble(item) {
    const [call] = item.calls;
    return call.status !== "returned" || this.isFailed(call);
  }

  /** Whether a replay failed at this call: it diverged there, or left it unused. */
  isFailed(call) {
    return call === this.failedCall || this.unused.has(call);
  }

  fill(item, row) {
    const [call] = item.calls;
    const failed = this.isFailed(call);
    const words = this.unused.has(call) ? "not used in the replay" : "the replay diverged here";
    row.classList.add(call.status.replace(" ", "-"));
    row.classList.toggle("diverged", failed);
    row.append(
      make("span", { class: "event" }, `${call.first}`),
      showNamed(call),
      make(
        "span",
        { class: "outcome" },
        make("span", { class: "sign", title: call.status }, STATUS_SIGNS[call.status]),
        failed ? make("strong", {}, words) : outcomeInOneLine(call),
      ),
      make("span", { class: "took" }, call.took === null ? "–" : duration(call.took)),
    );
  }

  details(call, event) {
    return showCall(call, event, this.isFailed(call) ? showFailedHere(this.failure) : null);
  }

  overview() {
    return showSession(this.tape);
  }
}

function readableDate(text) {
  const date = new Date(text);
  return Number.isNaN(date.valueOf())
    ? text
    : date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}
