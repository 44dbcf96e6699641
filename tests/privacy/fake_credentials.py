"""Credentials that open nothing, in the forms of real ones.

They are put together here, so that no scanner takes this repository for a leak.
"""

import base64
import json
import random
import string

_RANDOM = random.Random(20261116)
_WORD = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_SAFE = _WORD + "_-"


def _some(count: int, alphabet: str = _WORD) -> str:
    return "".join(_RANDOM.choice(alphabet) for _ in range(count - 2)) + "a7"


def _encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _pem(kind: str) -> str:
    lines = "\n".join(_some(64, _WORD + "+/") for _ in range(5))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"


CREDENTIALS: dict[str, str] = {
    "anthropic-key": "sk-" + "ant-api03-" + _some(93, _SAFE) + "AA",
    "openai-key": "sk-" + "proj-" + _some(48),
    "openrouter-key": "sk-" + "or-v1-" + _some(64, _HEX),
    "langfuse-key": "sk-" + "lf-" + _some(36, _HEX),
    "google-api-key": "AI" + "za" + _some(35, _SAFE),
    "google-oauth-token": "ya" + "29." + _some(60, _SAFE),
    "google-client-secret": "GOC" + "SPX-" + _some(28, _SAFE),
    "google-refresh-token": "1/" + "/0" + _some(40, _SAFE),
    "aws-access-key": "AK" + "IA" + _some(14, string.ascii_uppercase + "234567").upper() + "Q7",
    "aws-bedrock-key": "AB" + "SK" + _some(60, _WORD),
    "github-token": "gh" + "p_" + _some(36),
    "github-fine-grained-token": "github" + "_pat_" + _some(22) + "_" + _some(59),
    "gitlab-token": "gl" + "pat-" + _some(20, _SAFE),
    "slack-token": "xo" + "xb-" + _some(12, "0123456789") + "-" + _some(24),
    "slack-app-token": "xa" + "pp-1-" + _some(11).upper() + "-" + _some(64, _HEX),
    "stripe-key": "sk" + "_live_" + _some(24),
    "stripe-webhook-secret": "wh" + "sec_" + _some(32),
    "square-token": "sq0" + "atp-" + _some(22, _SAFE),
    "npm-token": "np" + "m_" + _some(36),
    "pypi-token": "py" + "pi-AgEIcHlwaS5vcmc" + _some(70, _SAFE),
    "rubygems-key": "ruby" + "gems_" + _some(48, _HEX),
    "huggingface-token": "h" + "f_" + _some(34),
    "replicate-token": "r" + "8_" + _some(37),
    "groq-key": "gs" + "k_" + _some(52),
    "xai-key": "xa" + "i-" + _some(80),
    "perplexity-key": "pp" + "lx-" + _some(48),
    "tavily-key": "tv" + "ly-" + _some(32),
    "pinecone-key": "pc" + "sk_" + _some(60),
    "langsmith-key": "lsv" + "2_pt_" + _some(42),
    "nvidia-key": "nv" + "api-" + _some(64, _SAFE),
    "sendgrid-key": "S" + "G." + _some(22, _SAFE) + "." + _some(43, _SAFE),
    "mailgun-key": "ke" + "y-" + _some(32, _HEX),
    "mailchimp-key": _some(32, _HEX) + "-" + "us12",
    "twilio-key": "S" + "K" + _some(32, _HEX),
    "telegram-bot-token": "123456789" + ":A" + "A" + _some(33, _SAFE),
    "shopify-token": "shp" + "at_" + _some(32, _HEX),
    "digitalocean-token": "do" + "p_v1_" + _some(64, _HEX),
    "databricks-token": "da" + "pi" + _some(32, _HEX),
    "doppler-token": "dp" + ".pt." + _some(43),
    "grafana-token": "gl" + "sa_" + _some(32) + "_" + _some(8, _HEX),
    "linear-key": "lin" + "_api_" + _some(40),
    "notion-key": "nt" + "n_" + _some(46),
    "airtable-token": "pa" + "t" + _some(14) + "." + _some(64, _HEX),
    "atlassian-token": "ATA" + "TT3xFfGF0" + _some(180, _SAFE),
    "new-relic-key": "NR" + "AK-" + _some(27).upper(),
    "sentry-token": "snt" + "rys_" + _some(80),
    "postman-key": "PM" + "AK-" + _some(24, _HEX) + "-" + _some(34, _HEX),
    "planetscale-token": "psc" + "ale_tkn_" + _some(43, _SAFE),
    "terraform-token": _some(14) + ".atl" + "asv1." + _some(67, _SAFE),
    "vault-token": "hv" + "s." + _some(90, _SAFE),
    "docker-token": "dckr" + "_pat_" + _some(27, _SAFE),
    "alibaba-key": "LT" + "AI" + _some(20),
    "azure-client-secret": "abc8" + "Q~" + _some(34),
    "age-secret-key": "AGE-SECRET" + "-KEY-1" + _some(58).upper(),
    "jwt": _encoded({"alg": "HS256", "typ": "JWT"})
    + "."
    + _encoded({"sub": "1", "n": 9})
    + "."
    + _some(43),
    "private-key": _pem("RSA "),
    "private-key openssh": _pem("OPENSSH "),
    "private-key pkcs8": _pem(""),
}
"""By the rule that knows each one."""

PASSWORD = "correct-" + "horse-7-battery"
"""A secret of no form at all: only its name, or a mark, can tell."""


def runs_of(secret: str, length: int = 12) -> set[str]:
    """Every piece of a secret that is long enough to be told from chance."""
    body = "".join(line for line in secret.splitlines() if not line.startswith("-----"))
    return {body[i : i + length] for i in range(3, max(4, len(body) - length + 1))}
