/*
 * Which items of the list are shown: calls, or pairs of calls. A group of which nothing is chosen
 * lets everything through.
 */

class Filter {
  constructor() {
    this.words = "";
    this.boundaries = new Set();
    this.statuses = new Set();
    this.directions = new Set();
    this.changes = new Set();
    this.method = "";
  }

  get isOpen() {
    const sets = [this.boundaries, this.statuses, this.directions, this.changes];
    return !this.words && !this.method && sets.every((chosen) => chosen.size === 0);
  }

  clear() {
    Object.assign(this, new Filter());
  }

  /** The items that are to be seen, in their order. */
  choose(items) {
    const words = this.words.toLowerCase();
    // The bodies are searched as they stand in the page, so what is looked for is written alike.
    const written = writtenAlike(words);
    return items.filter(
      (item) =>
        (this.changes.size === 0 || item.labels.some((label) => this.changes.has(label))) &&
        item.calls.some((call) => this.admits(call)) &&
        (!words || item.calls.some((call) => mentions(call, words, written))),
    );
  }

  admits(call) {
    return (
      admitted(this.boundaries, call.boundary) &&
      admitted(this.statuses, call.status) &&
      admitted(this.directions, call.inbound ? "inbound" : "outbound") &&
      (!this.method || this.method === call.name)
    );
  }
}

function admitted(chosen, value) {
  return chosen.size === 0 || chosen.has(value);
}

/** Whether the words are in a call's name, strand, arguments, result, or in an item of it. */
function mentions(call, words, written) {
  if (call.name.toLowerCase().includes(words) || strandName(call.strand).includes(words)) {
    return true;
  }
  const has = (event) => call.tape.bodies[event].toLowerCase().includes(written);
  return (
    has(call.first) ||
    (call.last !== null && has(call.last)) ||
    call.steps.some((step) => has(step.event))
  );
}

function writtenAlike(words) {
  return JSON.stringify(words)
    .slice(1, -1)
    .replace(/[<>&\u2028\u2029]/g, (letter) => {
      return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
    });
}
