"""Programs that build their clients themselves. Each prints all it sees of a list of addresses."""

import sys
from pathlib import Path
from typing import Final

_CURL: Final = """\
for url in "$@"; do
  echo "== ${url#*//*/}"
  curl --silent --show-error --include --suppress-connect-headers --max-time 20 \\
    -d 'name=Ada&tag=a' -X POST "$url" 2>&1
  echo " -> $?"
done
"""

_URLLIB: Final = """\
import sys, urllib.request

for url in sys.argv[1:]:
    print("==", url.split("/", 3)[3])
    request = urllib.request.Request(url, b'{"name": "Ada"}', {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            print(response.status, response.reason, response.version, response.getheaders())
            print(response.read())
    except Exception as error:
        print(type(error).__name__, error)
        if hasattr(error, "headers"):
            print(error.headers.items(), error.read())
"""

_NODE: Final = """\
const http = require("http"), https = require("https"), tls = require("tls");

const proxy = process.env.HTTPS_PROXY && new URL(process.env.HTTPS_PROXY);

function tunnel(url) {
  return new Promise((resolve, reject) => {
    const path = `${url.hostname}:${url.port}`;
    http.request({ host: proxy.hostname, port: proxy.port, method: "CONNECT", path })
      .on("connect", (_, socket) => resolve(socket)).on("error", reject).end();
  });
}

async function options(url) {
  const common = { method: "POST", headers: { Host: url.host, Connection: "close" } };
  if (!proxy) return [url, { agent: false, ...common }];
  if (url.protocol == "http:")
    return [{ agent: false, host: proxy.hostname, port: proxy.port, path: url.href, ...common }];
  const socket = tls.connect({ socket: await tunnel(url), host: url.hostname });
  return [{ path: url.pathname, createConnection: () => socket, ...common }];
}

async function get(url) {
  const [first, ...rest] = await options(url);
  const library = url.protocol == "http:" ? http : https;
  return new Promise((resolve) => {
    const fail = (error) => resolve(error.code);
    library.request(first, ...rest, (response) => {
      const head = [response.statusCode, response.statusMessage, response.rawHeaders];
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk)).on("error", fail);
      response.on("end", () => resolve(JSON.stringify(head) + Buffer.concat(chunks)));
    }).on("error", fail).end("some text");
  });
}

(async () => {
  for (const each of process.argv.slice(2)) {
    const url = new URL(each);
    console.log("==", url.pathname, await get(url));
  }
})();
"""

_TEXTS: Final = {"curl.sh": _CURL, "use_urllib.py": _URLLIB, "use_node.js": _NODE}

PROGRAMS: Final = {
    "curl": ["sh", "curl.sh"],
    "urllib": [sys.executable, "use_urllib.py"],
    "node": ["node", "use_node.js"],
}


def write_programs(folder: Path) -> None:
    """Put the programs where they are run."""
    for name, text in _TEXTS.items():
        folder.joinpath(name).write_text(text, encoding="utf-8")
