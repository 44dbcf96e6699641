"""The formats of well-known keys: each has a literal hint for a quick search, and a pattern.

No pattern has nested or adjacent open repetitions, so matching takes linear time.
"""

import base64
import binascii
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import unquote

from vcr_gen.runtime.privacy.field_names import Naming
from vcr_gen.runtime.privacy.heuristics import is_filler, looks_secret, spreads
from vcr_gen.runtime.privacy.spans import Span

__all__ = [
    "ENCODED",
    "KEY_FORMATS",
    "LONG_RUN",
    "PRIVATE_KEY",
    "URL_PASSWORD",
    "KeyFormat",
    "compiled",
    "decoded",
    "keys_of_known_format",
    "private_keys",
    "url_passwords",
]


@dataclass(frozen=True, slots=True)
class KeyFormat:
    """The format of the keys of one issuer."""

    name: str
    hints: tuple[str, ...]
    """Every such key contains one of these."""
    pattern: str
    group: int = 0
    """The part of the pattern that is the secret."""


_WORD = r"[A-Za-z0-9]"
_SAFE = r"[A-Za-z0-9_-]"

KEY_FORMATS: Final = (
    KeyFormat("anthropic-key", ("sk-ant-",), rf"sk-ant-{_SAFE}{{16,}}"),
    KeyFormat("openrouter-key", ("sk-or-",), rf"sk-or-{_SAFE}{{20,}}"),
    KeyFormat("langfuse-key", ("sk-lf-",), rf"sk-lf-{_SAFE}{{20,}}"),
    KeyFormat(
        "openai-key", ("sk-",), rf"sk-(?!ant-|or-|lf-)(?:proj-|svcacct-|admin-)?{_SAFE}{{20,}}"
    ),
    KeyFormat("google-api-key", ("AIza",), rf"AIza{_SAFE}{{30,}}"),
    KeyFormat("google-oauth-token", ("ya29.",), rf"ya29\.{_SAFE}{{20,}}"),
    KeyFormat("google-client-secret", ("GOCSPX-",), rf"GOCSPX-{_SAFE}{{20,}}"),
    KeyFormat("google-refresh-token", ("1//0", "1/0"), rf"1//?0{_SAFE}{{30,}}"),
    KeyFormat(
        "aws-access-key",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    ),
    KeyFormat("aws-bedrock-key", ("ABSK",), r"ABSK[A-Za-z0-9+/]{40,}={0,2}"),
    KeyFormat(
        "github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), rf"gh[pousr]_{_WORD}{{30,}}"
    ),
    KeyFormat("github-fine-grained-token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{22,}"),
    KeyFormat(
        "gitlab-token",
        ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "gloas-"),
        r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_.-]{16,}",
    ),
    KeyFormat("slack-token", ("xox",), r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}"),
    KeyFormat("slack-app-token", ("xapp-",), r"xapp-\d-[A-Za-z0-9-]{10,}"),
    KeyFormat(
        "slack-webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/([A-Za-z]+/[A-Za-z0-9/]{20,})",
        1,
    ),
    KeyFormat(
        "discord-webhook", ("/api/webhooks/",), rf"/api/webhooks/\d{{10,}}/({_SAFE}{{30,}})", 1
    ),
    KeyFormat(
        "stripe-key",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_"),
        rf"[sr]k_(?:live|test)_{_WORD}{{16,}}",
    ),
    KeyFormat("stripe-webhook-secret", ("whsec_",), r"whsec_[A-Za-z0-9+/=]{20,}"),
    KeyFormat(
        "square-token", ("sq0atp-", "sq0csp-", "sq0idp-"), rf"sq0(?:atp|csp|idp)-{_SAFE}{{20,}}"
    ),
    KeyFormat("square-access-token", ("EAAA",), rf"EAAA{_SAFE}{{56,}}"),
    KeyFormat("npm-token", ("npm_",), rf"npm_{_WORD}{{30,}}"),
    KeyFormat("pypi-token", ("pypi-AgE",), rf"pypi-AgE{_SAFE}{{40,}}"),
    KeyFormat("rubygems-key", ("rubygems_",), r"rubygems_[a-f0-9]{40,}"),
    KeyFormat("crates-token", ("cio",), r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    KeyFormat("huggingface-token", ("hf_", "api_org_"), rf"(?:hf_|api_org_){_WORD}{{30,}}"),
    KeyFormat("replicate-token", ("r8_",), rf"r8_{_WORD}{{30,}}"),
    KeyFormat("groq-key", ("gsk_",), rf"gsk_{_WORD}{{30,}}"),
    KeyFormat("xai-key", ("xai-",), rf"xai-{_WORD}{{40,}}"),
    KeyFormat("perplexity-key", ("pplx-",), rf"pplx-{_WORD}{{30,}}"),
    KeyFormat("fireworks-key", ("fw_",), rf"fw_{_WORD}{{20,}}"),
    KeyFormat("tavily-key", ("tvly-",), rf"tvly-{_SAFE}{{20,}}"),
    KeyFormat("pinecone-key", ("pcsk_",), r"pcsk_[A-Za-z0-9_]{30,}"),
    KeyFormat("langsmith-key", ("lsv2_",), r"lsv2_(?:pt|sk)_[A-Za-z0-9_]{30,}"),
    KeyFormat("nvidia-key", ("nvapi-",), rf"nvapi-{_SAFE}{{40,}}"),
    KeyFormat("brave-search-key", ("BSA",), rf"BSA{_SAFE}{{24,}}"),
    KeyFormat("sendgrid-key", ("SG.",), rf"SG\.{_SAFE}{{16,}}\.{_SAFE}{{16,}}"),
    KeyFormat("mailgun-key", ("key-",), r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    KeyFormat("mailchimp-key", ("-us",), r"[0-9a-f]{32}-us\d{1,2}(?!\d)"),
    KeyFormat("brevo-key", ("xkeysib-",), r"xkeysib-[a-f0-9]{40,}(?:-[A-Za-z0-9]+)?"),
    KeyFormat("resend-key", ("re_",), r"re_[A-Za-z0-9]{6,}_[A-Za-z0-9]{16,}"),
    KeyFormat("twilio-key", ("SK",), r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    KeyFormat("telegram-bot-token", (":AA",), rf"\d{{8,10}}:AA{_SAFE}{{30,}}"),
    KeyFormat("discord-bot-token", (".",), rf"[MNO]{_SAFE}{{23,27}}\.{_SAFE}{{6}}\.{_SAFE}{{27,}}"),
    KeyFormat(
        "shopify-token",
        ("shpat_", "shpca_", "shppa_", "shpss_"),
        r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}",
    ),
    KeyFormat("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"do[opr]_v1_[a-f0-9]{60,}"),
    KeyFormat("databricks-token", ("dapi",), r"dapi[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])"),
    KeyFormat(
        "doppler-token",
        ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."),
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{20,}",
    ),
    KeyFormat("dynatrace-token", ("dt0",), r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    KeyFormat("grafana-token", ("glsa_", "glc_"), r"(?:glsa|glc)_[A-Za-z0-9_+/=]{30,}"),
    KeyFormat("linear-key", ("lin_",), rf"lin_(?:api|oauth)_{_WORD}{{30,}}"),
    KeyFormat("notion-key", ("ntn_", "secret_"), rf"(?:ntn_|secret_){_WORD}{{40,}}"),
    KeyFormat("airtable-token", ("pat",), r"pat[A-Za-z0-9]{14}\.[a-f0-9]{60,}"),
    KeyFormat("asana-token", ("/",), r"(?<!\d)[12]/\d{13,17}(?:/\d{13,17})?:[a-f0-9]{32}"),
    KeyFormat(
        "atlassian-token", ("ATATT", "ATCTT", "ATBB"), r"AT(?:ATT3|CTT3|BB)[A-Za-z0-9_=-]{28,}"
    ),
    KeyFormat("figma-token", ("figd_", "figo_", "figu_"), rf"fig[dou]_{_SAFE}{{36,}}"),
    KeyFormat("new-relic-key", ("NRAK-", "NRJS-", "NRII-"), r"NR(?:AK|JS|II)-[A-Za-z0-9_-]{19,}"),
    KeyFormat("sentry-token", ("sntrys_", "sntryu_"), r"sntry[su]_[A-Za-z0-9+/=_]{40,}"),
    KeyFormat("postman-key", ("PMAK-",), r"PMAK-[a-f0-9]{24}-[a-f0-9]{30,}"),
    KeyFormat("pulumi-token", ("pul-",), r"pul-[a-f0-9]{40}"),
    KeyFormat("planetscale-token", ("pscale_",), r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_=.-]{30,}"),
    KeyFormat("terraform-token", (".atlasv1.",), rf"[A-Za-z0-9]{{14}}\.atlasv1\.{_SAFE}{{50,}}"),
    KeyFormat("vault-token", ("hvs.", "hvb."), rf"hv[sb]\.{_SAFE}{{24,}}"),
    KeyFormat("supabase-key", ("sbp_", "sb_secret_"), rf"(?:sbp_|sb_secret_){_SAFE}{{20,}}"),
    KeyFormat("docker-token", ("dckr_",), rf"dckr_(?:pat|oat)_{_SAFE}{{20,}}"),
    KeyFormat("artifactory-key", ("AKCp",), rf"AKCp{_WORD}{{60,}}"),
    KeyFormat("alibaba-key", ("LTAI",), r"LTAI[A-Za-z0-9]{12,30}(?![A-Za-z0-9])"),
    KeyFormat("yandex-key", ("AQVN",), rf"AQVN{_SAFE}{{35,}}"),
    KeyFormat("azure-storage-key", ("AccountKey=",), r"AccountKey=([A-Za-z0-9+/]{40,}={0,2})", 1),
    KeyFormat(
        "azure-shared-key", ("SharedAccessKey=",), r"SharedAccessKey=([A-Za-z0-9+/]{20,}={0,2})", 1
    ),
    KeyFormat("azure-client-secret", ("Q~",), r"[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
    KeyFormat("age-secret-key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    KeyFormat("putty-key", ("PuTTY-User-Key-File-",), r"PuTTY-User-Key-File-[\s\S]{1,8000}"),
    KeyFormat("jwt", ("eyJ",), rf"eyJ{_SAFE}{{8,}}\.{_SAFE}{{8,}}(?:\.[A-Za-z0-9_.-]*)?"),
)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The compiled pattern; compiled on first use, as most sessions need few of them."""
    return re.compile(pattern)


URL_PASSWORD: Final = "url-password"
PRIVATE_KEY: Final = "private-key"
ENCODED: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}")

LONG_RUN: Final = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{16}")
_BEGIN: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BODY: Final = re.compile(r"[A-Za-z0-9+/=\s\\:,.()-]*")
_USER: Final = re.compile(
    r"://([^\s/?#@:\"'<>\\]{0,256})(?::([^\s/?#\"'<>\\]{1,256}))?@(?=[\w.\[%$-])"
)
_SAFE_RUN: Final = re.compile(r"[A-Za-z0-9_-]+")
_DATA: Final = 500
"""How many characters of base64 around a match show that it is not a key."""
_DATA_RUN: Final = re.compile(r"[A-Za-z0-9+/_-]+")


def keys_of_known_format(text: str, off: Collection[str]) -> Iterator[Span]:
    """The keys of well-known issuers."""
    for known in KEY_FORMATS:
        if known.name in off or not any(hint in text for hint in known.hints):
            continue
        for found in _matches(compiled(known.pattern), known, text):
            start, end = found.span(known.group)
            if start and not known.group and len(known.hints[0]) < 5 and _goes_on(text, start):
                continue
            if not _in_data(text, start, end):
                yield Span(start, end, known.name, open=end == len(text))


def private_keys(text: str) -> Iterator[Span]:
    """The private keys between their BEGIN and END lines."""
    if "-----BEGIN " not in text:
        return
    position = 0
    has_end = True
    while (begin := _BEGIN.search(text, position)) is not None:
        end = _END.search(text, begin.end()) if has_end else None
        has_end = end is not None
        body = _BODY.match(text, begin.end())
        stop = end.end() if end else body.end() if body else begin.end()
        yield Span(begin.start(), stop, PRIVATE_KEY, open=end is None and stop == len(text))
        position = stop


def url_passwords(text: str) -> Iterator[Span]:
    """The passwords in URLs, and keys used as a user name."""
    if "://" not in text or "@" not in text:
        return
    for found in _USER.finditer(text):
        group = 1 if found[2] is None else 2
        secret = unquote(found[group])
        if not is_filler(secret) if group == 2 else looks_secret(secret):
            spread = spreads(secret, Naming.STRONG)
            yield Span(*found.span(group), URL_PASSWORD, spreads=spread, secret=secret)


def _matches(pattern: "re.Pattern[str]", known: KeyFormat, text: str) -> Iterator["re.Match[str]"]:
    """All matches; after a failure, the search skips the rest of the word."""
    if known.name != "jwt":
        yield from pattern.finditer(text)
        return
    position = text.find(known.hints[0])
    while position >= 0:
        found = pattern.match(text, position)
        if found is not None:
            yield found
        run = _SAFE_RUN.match(text, position)
        behind = found.end() if found else run.end() if run else position + 1
        position = text.find(known.hints[0], behind)


def decoded(run: str) -> str | None:
    """The decoded text of a run of base64; None if it is not base64."""
    bare = run.rstrip("=").replace("-", "+").replace("_", "/")
    if len(bare) % 4 == 1:
        bare = bare[:-1]
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4)).decode("latin-1")
    except (binascii.Error, ValueError):
        return None


def _in_data(text: str, start: int, end: int) -> bool:
    """Whether a match is inside long base64 data, where any short word occurs by chance.

    Otherwise the data of an image could be changed by redaction.
    """
    return any(
        last - first == _DATA and _DATA_RUN.fullmatch(text, first, last) is not None
        for first, last in ((max(0, start - _DATA), start), (end, min(len(text), end + _DATA)))
    )


def _goes_on(text: str, start: int) -> bool:
    """Whether a match starts inside a word and so is not a key; an escape is not a word."""
    before = text[start - 1]
    if not (before.isascii() and before.isalnum()):
        return False
    escaped = text[max(0, start - 6) : start]
    return not (
        escaped[-2:] in ("\\n", "\\r", "\\t", "\\b", "\\f")
        or escaped[-3:-2] == "%"
        or escaped[:2] == "\\u"
    )
