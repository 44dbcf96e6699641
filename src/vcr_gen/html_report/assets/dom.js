"use strict";

/*
 * Making elements. Everything recorded comes into the page here, as text: there is no way from a
 * recorded value to markup.
 */

/** The element with an id that the page always has. */
function byId(id) {
  return document.getElementById(id);
}

/**
 * A new element. `attributes` are set as attributes, apart from functions, which listen to an
 * event; `children` are elements or text, and what is null or undefined is left out.
 */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name, value);
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A number with its noun: `1 call`, `2 calls`. */
function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** A length of time, as short as it can be told. */
function duration(seconds) {
  if (seconds < 0.001) {
    return "<1 ms";
  }
  if (seconds < 1) {
    return `${trimmed(seconds * 1000, seconds < 0.01 ? 1 : 0)} ms`;
  }
  if (seconds < 60) {
    return `${trimmed(seconds, 2)} s`;
  }
  const whole = Math.round(seconds);
  if (whole < 3600) {
    return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  }
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

function trimmed(number, digits) {
  return number.toFixed(digits).replace(/\.?0+$/, (zeros) => (zeros.includes(".") ? "" : zeros));
}

/** Text that fits in one line. */
function shortened(text, length) {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
