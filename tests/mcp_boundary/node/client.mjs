// An official TypeScript client, and all that it observes, as JSON:
// node client.mjs 1|2 legacy|auto|PROTOCOL COMMAND ...
const [generation, negotiation, command, ...args] = process.argv.slice(2);
const mode = ["legacy", "auto"].includes(negotiation) ? negotiation : { pin: negotiation };
const first = generation === "1";
const { Client } = await (first
  ? import("@modelcontextprotocol/sdk/client/index.js")
  : import("@modelcontextprotocol/client"));
const { StdioClientTransport } = await (first
  ? import("@modelcontextprotocol/sdk/client/stdio.js")
  : import("@modelcontextprotocol/client/stdio"));
const schemas = first ? await import("@modelcontextprotocol/sdk/types.js") : null;

const seen = [];
const client = new Client(
  { name: "typescript", version: generation },
  {
    capabilities: { sampling: {}, elicitation: {}, roots: {} },
    ...(first ? {} : { versionNegotiation: { mode } }),
  },
);
client.onerror = (error) => seen.push(["error", String(error)]);
client.setRequestHandler(
  first ? schemas.CreateMessageRequestSchema : "sampling/createMessage",
  async ({ params }) => {
    seen.push(["asked", params.messages[0].content.text]);
    return { role: "assistant", content: { type: "text", text: "because" }, model: "m" };
  },
);
client.setRequestHandler(
  first ? schemas.ElicitRequestSchema : "elicitation/create",
  async ({ params }) => {
    seen.push(["to choose", params.message]);
    return { action: "accept", content: { size: 3 } };
  },
);
client.setRequestHandler(first ? schemas.ListRootsRequestSchema : "roots/list", async () => {
  seen.push("asked for roots");
  return { roots: [{ uri: "file:///work" }] };
});
client.setNotificationHandler(
  first ? schemas.ToolListChangedNotificationSchema : "notifications/tools/list_changed",
  async () => void seen.push("changed"),
);
client.setNotificationHandler(
  first ? schemas.LoggingMessageNotificationSchema : "notifications/message",
  async ({ params }) => void seen.push(["log", params.data]),
);

async function call(name, toolArguments, options = {}) {
  const onprogress = (progress) => seen.push(["progress", name, progress]);
  const request = { name, arguments: toolArguments };
  const all = { onprogress, ...options };
  await note(name, first ? client.callTool(request, undefined, all) : client.callTool(request, all));
}

async function note(name, answer) {
  try {
    seen.push([name, await answer]);
  } catch (error) {
    seen.push([name, "failed", error.code, error.message, error.data]);
  }
}

await client.connect(new StdioClientTransport({ command, args, env: process.env }));
seen.push(client.getServerCapabilities());
seen.push(await client.listTools());
await note("resource", client.readResource({ uri: "notes://today" }));
await call("add", { a: 1, b: 2 });
await Promise.all([call("count", { to: 3, pause: 0.1 }), call("count", { to: 2, pause: 0.17 })]);
await call("ask", { question: "why?" });
await call("choose", {});
await call("where", {});
await call("order", {});
await call("learn", {});
await call("refuse", {});
await call("fail", {});
await call("nothing", {});
const leaving = new AbortController();
await call("linger", {}, {
  signal: leaving.signal,
  onprogress: (progress) => {
    seen.push(["progress", progress]);
    leaving.abort("enough");
  },
});
await call("linger", {}, { timeout: 300 });
await call("add", { a: 3, b: 4 });
await client.close();
console.log(JSON.stringify(seen));
