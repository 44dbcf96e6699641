/*
 * Which row of the timeline each call is drawn in.
 *
 * There is a lane for each boundary and strand. Calls of one strand that overlap get rows below
 * each other. A strand that runs for one inbound call is soon over, so such strands of a boundary
 * share a lane where they were never alive at the same time; and so do all, where there are too
 * many lanes to look at.
 */

const MANY_LANES = 40;

/** The rows: `{boundary, inbound, lane, first, calls}`; `first` is true for a lane's first row. */
function layOut(tape) {
  let shared = shareLanes(collectLanes(tape), isOfACall);
  if (shared.length > MANY_LANES) {
    shared = shareLanes(shared, () => true);
  }
  const rows = [];
  for (const lane of shared) {
    lane.calls.sort((a, b) => a.first - b.first);
    const ends = [];
    for (const call of lane.calls) {
      let row = ends.findIndex((end) => end < call.first);
      row = row < 0 ? ends.length : row;
      ends[row] = call.last ?? Infinity;
      const place = rows.length + row;
      lane.rows[row] ??= {
        boundary: lane.boundary,
        inbound: lane.inbound,
        lane: lane.label,
        first: row === 0,
        calls: [],
      };
      lane.rows[row].calls.push(call);
      call.row = place;
    }
    for (const row of lane.rows) {
      rows.push(row);
    }
  }
  return rows;
}

/** A lane for each boundary and strand: inbound boundaries first, then as they appear. */
function collectLanes(tape) {
  const boundaries = new Map();
  for (const call of tape.calls) {
    if (!boundaries.has(call.boundary)) {
      boundaries.set(call.boundary, new Map());
    }
    const strands = boundaries.get(call.boundary);
    if (!strands.has(call.strand)) {
      strands.set(call.strand, {
        boundary: call.boundary,
        inbound: call.inbound,
        strand: call.strand,
        strands: 1,
        label: strandName(call.strand),
        calls: [],
        rows: [],
        from: call.first,
        to: call.first,
      });
    }
    const lane = strands.get(call.strand);
    lane.calls.push(call);
    lane.to = Math.max(lane.to, call.last ?? Infinity);
  }
  const groups = [...boundaries.values()].map((strands) => [...strands.values()]);
  groups.sort((a, b) => Number(b[0].inbound) - Number(a[0].inbound));
  return groups.flat();
}

/** Whether a lane's strand ran for one inbound call. */
function isOfACall(lane) {
  return lane.strand.startsWith("@");
}

/** Lanes of a boundary that may share, and are free when the next begins, become one. */
function shareLanes(lanes, mayShare) {
  const shared = [];
  for (const lane of lanes) {
    const free = shared.find(
      (other) =>
        other.boundary === lane.boundary &&
        other.to < lane.from &&
        mayShare(other) &&
        mayShare(lane),
    );
    if (free) {
      lane.calls.forEach((call) => free.calls.push(call));
      free.to = lane.to;
      free.strands += lane.strands;
      free.strand = isOfACall(free) ? lane.strand : free.strand;
      free.label = isOfACall(free) ? `inside ${free.strands} calls` : `${free.strands} strands`;
    } else {
      shared.push({ ...lane });
    }
  }
  return shared;
}

/** A strand in words: `@4` is what ran for the inbound call 4. */
function strandName(strand) {
  if (strand === "0") {
    return "main strand";
  }
  return strand.startsWith("@") ? `inside call ${strand.slice(1)}` : `strand ${strand}`;
}
