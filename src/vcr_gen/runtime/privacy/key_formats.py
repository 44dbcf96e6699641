"""The formats of well-known keys, private keys, and passwords in URLs.

No pattern has nested or adjacent open repetitions, so matching takes linear time.
"""

import base64
import binascii
import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Final, NamedTuple
from urllib.parse import unquote

from vcr_gen.runtime.privacy.credential_names import Naming
from vcr_gen.runtime.privacy.heuristics import credential, is_filler, looks_secret
from vcr_gen.runtime.privacy.spans import Span


class KeyFormat(NamedTuple):
    """The format of the keys of one issuer."""

    name: str
    hints: tuple[str, ...]
    """Every such key contains one of these."""
    pattern: str
    """The key, or what surrounds it if the pattern has a group."""


_WORD = r"[A-Za-z0-9]"
_SAFE = r"[A-Za-z0-9_-]"
_ROWS = (
    ("anthropic-key", "sk-ant-", rf"sk-ant-{_SAFE}{{16,}}"),
    ("openrouter-key", "sk-or-", rf"sk-or-{_SAFE}{{20,}}"),
    ("langfuse-key", "sk-lf-", rf"sk-lf-{_SAFE}{{20,}}"),
    ("openai-key", "sk-", rf"sk-(?!ant-|or-|lf-)(?:proj-|svcacct-|admin-)?{_SAFE}{{20,}}"),
    ("google-api-key", "AIza", rf"AIza{_SAFE}{{30,}}"),
    ("google-oauth-token", "ya29.", rf"ya29\.{_SAFE}{{20,}}"),
    ("google-client-secret", "GOCSPX-", rf"GOCSPX-{_SAFE}{{20,}}"),
    ("google-refresh-token", "1//0 1/0", rf"1//?0{_SAFE}{{30,}}"),
    (
        "aws-access-key",
        "AKIA ASIA ABIA ACCA",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    ),
    ("aws-bedrock-key", "ABSK", r"ABSK[A-Za-z0-9+/]{40,}={0,2}"),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"gh[pousr]_{_WORD}{{30,}}"),
    ("github-fine-grained-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,}"),
    (
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- gloas-",
        r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_.-]{16,}",
    ),
    ("slack-token", "xox", r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}"),
    ("slack-app-token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{10,}"),
    ("slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/([A-Za-z]+/[A-Za-z0-9/]{20,})"),
    ("discord-webhook", "/api/webhooks/", rf"/api/webhooks/\d{{10,}}/({_SAFE}{{30,}})"),
    ("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", rf"[sr]k_(?:live|test)_{_WORD}{{16,}}"),
    ("stripe-webhook-secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{20,}"),
    ("square-token", "sq0atp- sq0csp- sq0idp-", rf"sq0(?:atp|csp|idp)-{_SAFE}{{20,}}"),
    ("square-access-token", "EAAA", rf"EAAA{_SAFE}{{56,}}"),
    ("npm-token", "npm_", rf"npm_{_WORD}{{30,}}"),
    ("pypi-token", "pypi-AgE", rf"pypi-AgE{_SAFE}{{40,}}"),
    ("rubygems-key", "rubygems_", r"rubygems_[a-f0-9]{40,}"),
    ("crates-token", "cio", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("huggingface-token", "hf_ api_org_", rf"(?:hf_|api_org_){_WORD}{{30,}}"),
    ("replicate-token", "r8_", rf"r8_{_WORD}{{30,}}"),
    ("groq-key", "gsk_", rf"gsk_{_WORD}{{30,}}"),
    ("xai-key", "xai-", rf"xai-{_WORD}{{40,}}"),
    ("perplexity-key", "pplx-", rf"pplx-{_WORD}{{30,}}"),
    ("fireworks-key", "fw_", rf"fw_{_WORD}{{20,}}"),
    ("tavily-key", "tvly-", rf"tvly-{_SAFE}{{20,}}"),
    ("pinecone-key", "pcsk_", r"pcsk_[A-Za-z0-9_]{30,}"),
    ("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[A-Za-z0-9_]{30,}"),
    ("nvidia-key", "nvapi-", rf"nvapi-{_SAFE}{{40,}}"),
    ("brave-search-key", "BSA", rf"BSA{_SAFE}{{24,}}"),
    ("sendgrid-key", "SG.", rf"SG\.{_SAFE}{{16,}}\.{_SAFE}{{16,}}"),
    ("mailgun-key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("mailchimp-key", "-us", r"[0-9a-f]{32}-us\d{1,2}(?!\d)"),
    ("brevo-key", "xkeysib-", r"xkeysib-[a-f0-9]{40,}(?:-[A-Za-z0-9]+)?"),
    ("resend-key", "re_", r"re_[A-Za-z0-9]{6,}_[A-Za-z0-9]{16,}"),
    ("twilio-key", "SK", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("telegram-bot-token", ":AA", rf"\d{{8,10}}:AA{_SAFE}{{30,}}"),
    ("discord-bot-token", ".", rf"[MNO]{_SAFE}{{23,27}}\.{_SAFE}{{6}}\.{_SAFE}{{27,}}"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{60,}"),
    ("databricks-token", "dapi", r"dapi[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])"),
    (
        "doppler-token",
        "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{20,}",
    ),
    ("dynatrace-token", "dt0", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("grafana-token", "glsa_ glc_", r"(?:glsa|glc)_[A-Za-z0-9_+/=]{30,}"),
    ("linear-key", "lin_", rf"lin_(?:api|oauth)_{_WORD}{{30,}}"),
    ("notion-key", "ntn_ secret_", rf"(?:ntn_|secret_){_WORD}{{40,}}"),
    ("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{60,}"),
    ("asana-token", "/", r"(?<!\d)[12]/\d{13,17}(?:/\d{13,17})?:[a-f0-9]{32}"),
    ("atlassian-token", "ATATT ATCTT ATBB", r"AT(?:ATT3|CTT3|BB)[A-Za-z0-9_=-]{28,}"),
    ("figma-token", "figd_ figo_ figu_", rf"fig[dou]_{_SAFE}{{36,}}"),
    ("new-relic-key", "NRAK- NRJS- NRII-", r"NR(?:AK|JS|II)-[A-Za-z0-9_-]{19,}"),
    ("sentry-token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9+/=_]{40,}"),
    ("postman-key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{30,}"),
    ("pulumi-token", "pul-", r"pul-[a-f0-9]{40}"),
    ("planetscale-token", "pscale_", r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_=.-]{30,}"),
    ("terraform-token", ".atlasv1.", rf"[A-Za-z0-9]{{14}}\.atlasv1\.{_SAFE}{{50,}}"),
    ("vault-token", "hvs. hvb.", rf"hv[sb]\.{_SAFE}{{24,}}"),
    ("supabase-key", "sbp_ sb_secret_", rf"(?:sbp_|sb_secret_){_SAFE}{{20,}}"),
    ("docker-token", "dckr_", rf"dckr_(?:pat|oat)_{_SAFE}{{20,}}"),
    ("artifactory-key", "AKCp", rf"AKCp{_WORD}{{60,}}"),
    ("alibaba-key", "LTAI", r"LTAI[A-Za-z0-9]{12,30}(?![A-Za-z0-9])"),
    ("yandex-key", "AQVN", rf"AQVN{_SAFE}{{35,}}"),
    ("azure-storage-key", "AccountKey=", r"AccountKey=([A-Za-z0-9+/]{40,}={0,2})"),
    ("azure-shared-key", "SharedAccessKey=", r"SharedAccessKey=([A-Za-z0-9+/]{20,}={0,2})"),
    ("azure-client-secret", "Q~", r"[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
    ("age-secret-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("putty-key", "PuTTY-User-Key-File-", r"PuTTY-User-Key-File-[\s\S]{1,8000}"),
    ("jwt", "eyJ", rf"eyJ{_SAFE}{{8,2048}}\.{_SAFE}{{8,}}(?:\.[A-Za-z0-9_.-]*)?"),
    (
        "private-key",
        "-----BEGIN",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[\s\S]{0,20000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"|[A-Za-z0-9+/=\s\\:,.()-]*)",
    ),
)
KEY_FORMATS: Final = tuple(
    KeyFormat(name, tuple(hints.split()), pattern) for name, hints, pattern in _ROWS
)
_compiled: Final = cache(re.compile)  # on first use, as most sessions need few of them

ENCODED: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}")
LONG_RUN: Final = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{16}")
_USER: Final = re.compile(
    r"://([^\s/?#@:\"'<>\\]{0,256})(?::([^\s/?#\"'<>\\]{1,256}))?@(?=[\w.\[%$-])"
)
_START: Final = re.compile(
    r"(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})"
)
"""Not inside a word; the end of an escape is not part of a word."""
_DATA: Final = 500
"""How many characters of base64 around a match show that it is not a key."""
_DATA_RUN: Final = re.compile(r"[A-Za-z0-9+/_-]+")


def keys_of_known_format(text: str, off: Collection[str]) -> Iterator[Span]:
    """The keys of well-known issuers."""
    for name, hints, pattern in KEY_FORMATS:
        if name in off or not any(hint in text for hint in hints):
            continue
        for found in _compiled(pattern).finditer(text):
            group = found.re.groups
            start, end = found.span(group)
            if not group and len(hints[0]) < 5 and _START.match(text, start) is None:
                continue
            if not _in_data(text, start, end):
                yield Span(start, end, name)


def url_passwords(text: str) -> Iterator[Span]:
    """The passwords in URLs, and keys used as a user name."""
    if "://" not in text or "@" not in text:
        return
    for found in _USER.finditer(text):
        group = 1 if found[2] is None else 2
        secret = unquote(found[group])
        if not is_filler(secret) if group == 2 else looks_secret(secret):
            yield credential(text, *found.span(group), "url-password", Naming.STRONG, secret=secret)


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
