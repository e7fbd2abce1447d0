// The JSON-lines protocol (spec/PROTOCOL.md) in JavaScript: recompute by definition, with exact integers.
//     node examples/engines/minimal.js
const relations = { R: new Map(), S: new Map(), T: new Map() };
let free = "";

// JSON.parse would round integers beyond 2^53, so integers become strings on the way in.
const parse = (line) =>
  JSON.parse(line.replace(/("(?:[^"\\]|\\.)*")|(-?\d+)/g, (token, string) => string ?? `"${token}"`));

function apply([relation, x, y, multiplicity]) {
  const key = `${x} ${y}`;
  const after = (relations[relation].get(key) ?? 0n) + BigInt(multiplicity);
  if (after < 0n) throw new Error("fewer copies are there");
  relations[relation].set(key, after);
}

function rows() {
  const answer = new Map();
  for (const [ab, r] of relations.R) {
    const [a, b] = ab.split(" ");
    for (const [bc, s] of relations.S) {
      const [b2, c] = bc.split(" ");
      const m = b === b2 ? r * s * (relations.T.get(`${c} ${a}`) ?? 0n) : 0n;
      const row = [...free].map((variable) => ({ A: a, B: b, C: c })[variable]).join();
      if (m) answer.set(row, (answer.get(row) ?? 0n) + m);
    }
  }
  return [...answer].map(([row, m]) => `[[${row}], ${m}]`).join();
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const request = parse(line);
  let reply = '{"ok": true}';
  if (request.open) free = request.open.free;
  else if (request.query) reply = `{"rows": [${rows()}]}`;
  else if (request.close) process.exit();
  else {
    try {
      (request.batch ?? [request.update]).forEach(apply);
    } catch (error) {
      reply = JSON.stringify({ refused: error.message });
    }
  }
  console.log(reply);
});
