/*
 * Reads JSON exactly. The browser's own reader loses what a recording must keep: the order of keys
 * that look like numbers, `1.0` (which is no `1`), and the last digits of large integers.
 *
 * Text, true, false and null come as they are, a list as an array, a mapping as a Map, and a number
 * as a Numeral.
 */

class Numeral {
  constructor(text) {
    this.text = text;
  }
}

/** The value of a JSON text that our own writer made; its form is therefore not checked. */
function readExactly(text) {
  const tokens = text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]|[^\s,:{}[\]"]+/g);
  let next = 0;

  function value() {
    const token = tokens[next++];
    switch (token[0]) {
      case "{": {
        const fields = new Map();
        while (tokens[next] !== "}") {
          const key = JSON.parse(tokens[next++]);
          fields.set(key, value());
        }
        next++;
        return fields;
      }
      case "[": {
        const items = [];
        while (tokens[next] !== "]") {
          items.push(value());
        }
        next++;
        return items;
      }
      case '"':
      case "t":
      case "f":
      case "n":
        return JSON.parse(token);
      default:
        return new Numeral(token);
    }
  }
  return value();
}

/** A value on one line, for people: as JSON, with what is typed named by its type. */
function inOneLine(value, length = 160) {
  const parts = [];
  let room = length;

  function put(text) {
    parts.push(text);
    room -= text.length;
  }

  function tell(current) {
    if (room <= 0) {
      return;
    }
    if (current instanceof Map) {
      const short = asIs(current);
      if (short !== null) {
        put(short);
        return;
      }
      const type = current.get("$type");
      if (type !== undefined && current.has("$value") && current.size === 2) {
        tell(current.get("$value"));
        return;
      }
      put(type === undefined ? "{" : `${lastName(String(type))}(`);
      let first = true;
      for (const [key, field] of current) {
        if (key !== "$type" && room > 0) {
          put(`${first ? "" : ", "}${key}: `);
          tell(field);
          first = false;
        }
      }
      put(type === undefined ? "}" : ")");
    } else if (Array.isArray(current)) {
      put("[");
      current.every((item, index) => {
        put(index ? ", " : "");
        tell(item);
        return room > 0;
      });
      put("]");
    } else if (current instanceof Numeral) {
      put(current.text);
    } else {
      put(typeof current === "string" ? JSON.stringify(current.slice(0, room + 1)) : `${current}`);
    }
  }

  tell(value);
  return shortened(parts.join(""), length);
}

const LIVE = {
  $async_callable: "function",
  $awaitable: "awaitable",
  $callable: "function",
  $file: "file",
  $handle: "handle",
  $manager: "context manager",
  $reader: "reader",
  $stream: "stream",
  $text_file: "file",
  $writer: "writer",
};

/** What messages say instead of a stored form, such as `handle #2`; null for any other value. */
function asIs(fields) {
  const [key, part] = fields.size === 1 ? [...fields][0] : ["", null];
  if (key === "$as_is") {
    return part;
  }
  const name = own(LIVE, key);
  return name ? `${name} #${part instanceof Numeral ? part.text : part}` : null;
}

/** `StdoutLine` of `agent_server.ports.StdoutLine`. */
function lastName(type) {
  return type.slice(type.lastIndexOf(".") + 1);
}
