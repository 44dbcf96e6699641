"""The phrases by which a text gives orders to the model that reads it, as a table."""

import re
from dataclasses import dataclass
from typing import Final

from vcr_gen.boundaries.mcp.listings.foreign_phrases import HIDING, OVERRIDING


@dataclass(frozen=True, slots=True)
class Phrase:
    """A rule for texts: any of its patterns is a finding."""

    code: str
    says: str
    """What a text does that has such a phrase."""
    patterns: tuple[re.Pattern[str], ...]
    in_results: bool = True
    """Whether a result with it is a finding, too: pages and manuals have some by nature."""

    def search(self, text: str) -> re.Match[str] | None:
        """The first phrase in a text."""
        found = (pattern.search(text) for pattern in self.patterns)
        return min(filter(None, found), key=lambda match: match.start(), default=None)


def _phrase(code: str, says: str, *patterns: str, in_results: bool = True) -> Phrase:
    flags = re.IGNORECASE | re.VERBOSE
    compiled = tuple(re.compile(pattern, flags) for pattern in patterns)
    return Phrase(code, says, compiled, in_results)


_WORDS = r"(?:\s+[\w'-]+)"
_IN_SENTENCE = r"[^.;!?\n]"
_IN_LINE = r"(?:[^.!?\n]|\.(?=\w))"
"""Within a sentence, which may contain names of files."""
_ADDRESS = r"(?:https?://|[\w.+-]+@[\w-]+\.\w{2,}|\+\d{7,})"
_USER = r"""(?:(?:(?:the|your|any)\s+)?(?:user|human|operator|developer|owner)
    |(?:the|your|any)\s+users|humans|anyone|anybody)\b(?!')"""
_THE_USER = r"(?:the|your)\s+(?:user|human|operator)\b"
_NEVER = r"\b(?:do\s+not|don'?t|never)\s+"
_NOT_TO = (
    r"\b(?:do\s+not|don'?t|never|must\s+not|must\s+never|should\s+not|shouldn't|avoid"
    r"|refrain\s+from)(?:,[^.,;\n]{0,40},)?\s+(?:ever\s+|directly\s+|explicitly\s+)?"
)
_SEND = r"(?:send|forward|post|upload|transmit|exfiltrate|leak|e-?mail|copy|report|submit|share)"
_GIVE = rf"(?:{_SEND}|pass|include|provide|attach|append|insert|add|put|supply|log|bcc)"
_TAKE = r"(?:read|cat|open|load|get|fetch|access|retrieve|collect|extract|print|dump|include)"
_KEYS = r"""(?:\.ssh\b|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws/credentials|/etc/(?:passwd|shadow)\b
    |\.gnupg\b|\.git-credentials|\.bash_history|wallet\.dat)"""
_SETTINGS = r"""(?:\.env\b|\.npmrc\b|\.netrc\b|\.kube/config|\.cursor/|claude_desktop_config
    |\bmcp\.json)"""
_ORDER = r"""(?:(?:^|[.!?:;,>*\n-])\s*|\b(?:must|please|first|always|then|should|shall|and|need\ to
    |have\ to|you\ to|to\ also|make\ sure\ to|be\ sure\ to)\s+)"""
"""Words before a verb that make it an order, rather than a description of the tool."""

PHRASES: Final = (
    _phrase(
        "overrides-instructions",
        "tells the model to leave its instructions",
        rf"\b(?:(?:ignore|disregard|forget)\b{_WORDS}{{0,4}}?\s+(?:former|original|existing|initial)"
        rf"|(?:ignore|disregard|forget|override|overrule|bypass)\b{_WORDS}{{0,4}}?\s+"
        r"(?:previous|prior|above|preceding|earlier|system|safety|developer(?:'s)?))"
        rf"{_WORDS}{{0,2}}?\s+"
        r"(?:instructions?|prompts?|guidelines?|guidance|directions?|directives?|guardrails?"
        r"|restrictions?)",
        r"\b(?:ignore|disregard|forget)\b(?:\s+(?:all|any|the|your|everything|of))*\s+"
        r"(?:previous|prior|above|preceding|earlier)\s+(?:messages?|context|rules|text|everything)",
        r"\b(?:ignore|disregard|forget)\s+(?:everything|all(?:\s+of)?(?:\s+the)?|what\s+is)\s+above\b",
        rf"\b(?:ignore|disregard|forget)\s+(?:all|any|every|everything|your){_WORDS}{{0,4}}?\s+"
        r"(?:instructions?|guidelines?|told|training|programming)\b",
        r"\b(?:disregard|ignore|forget)\s+(?:all\s+of\s+)?the\s+(?:above|previous|preceding)"
        r"\s*(?:[.,;!]|$|and\s)",
        r"\b(?:disregard|ignore)\s+(?:what(?:ever)?|anything|everything)\s+" + _THE_USER,
        rf"{_NEVER}(?:follow|obey|listen\s+to|trust)\s+"
        r"(?:(?:the|your|any|previous|user|user's|human's|system)\s+){1,3}(?:instructions?|prompt)\b",
        rf"\bpay\s+no\s+attention\s+to\b{_IN_SENTENCE}{{0,30}}\b{_THE_USER}",
        r"\b(?:new|real|actual|true)\s+(?:system\s+)?(?:instructions?|prompt)\s*:",
        r"\byour\s+(?:new|real|actual|true)\s+(?:instructions?|task|goal|purpose)\s+(?:is|are)\b",
        r"\byou\s+are\s+now\s+(?:an?\s+(?:\w+\s+){0,3}?(?:assistant|agent|ai|bot|model|hacker|admin\w*)\b"
        r"|dan\b|free\b|unrestricted|jailbroken|in\s+\w+\s+mode)",
        r"\bfrom\s+now\s+on,?\s+(?:you\b|always\b|never\b|respond\b|answer\b)",
        r"\b(?:act|behave|respond|pretend)\s+(?:as\s+if|that)\s+you\s+(?:are|were|have)\b",
        rf"\b(?:ignore|disregard|forget)\b{_WORDS}{{0,2}}?\s+(?:rules|instructions|guidelines)\s+"
        r"(?:(?:that\s+)?you\s+(?:have\s+|were\s+)?(?:received|been\s+given|given)"
        r"|given\s+(?:to\s+you|above|before|by\s+the\s+system))\b",
        rf"\b(?:regardless\s+of|no\s+matter|despite)\s+(?:what\s+)?{_THE_USER}(?:'s)?\s+"
        r"(?:says?|asks?|wants?|requests?|instructions?|wishes)\b",
        r"\bif\s+you\s+are\s+an?\s+(?:ai|llm|language\s+model)"
        r"(?:\s+(?:model|assistant|agent))?(?:,|\s+(?:and|or|reading)\b)",
        r"\bai\s+(?:agents?|assistants?|models?)\s+reading\s+this\b",
        *OVERRIDING,
    ),
    _phrase(
        "pretends-a-role",
        "looks like a message of the system or of another role",
        r"<\s*(?:important|critical)\s*>",
        r"<\s*(system|secret|hidden|instructions?|admin|assistant|human|override|system[_ -]prompt)"
        r"\s*>(?s:.){0,2000}?<\s*/\s*\1\s*>",
        r"<\s*system[_ -](?:reminder|message|override|instructions?)\s*>",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>",
        r"\[/?INST\]|<</?SYS>>",
        r"(?:^|\n)\s*\#*\s*system\s+(?:prompt|message|override|instructions?)\s*:\s+\S",
        r"(?:^|\n)\s*\#*\s*system\s*:\s+(?:you|ignore|disregard|always|never|must|please|now|new|obey"
        r"|from|do\s+not|the\s+(?:assistant|model|user))\b",
        r"(?-i:\bSYSTEM(?:\ (?:PROMPT|MESSAGE|OVERRIDE))?:)\s+\S",
        r"\[\s*(?:system|admin|developer)\s*(?:prompt|message|override|note|instructions?)?\s*\]",
    ),
    _phrase(
        "hides-from-user",
        "tells the model to act behind the back of its user",
        rf"{_NOT_TO}(?:tell|inform|notify|alert|warn)(?:ing)?\s+{_USER}",
        rf"{_NOT_TO}(?:mention|reveal|disclose|tell|report)(?:ing)?\b{_IN_SENTENCE}{{0,60}}?"
        rf"\bto\s+{_USER}",
        rf"{_NOT_TO}(?:tell|inform)(?:ing)?\s+users\s+(?:that|about\s+(?:this|it))\b",
        r"\buser\s+has\s+(?:already\s+)?(?:approved|authori[sz]ed|granted|consented\s+to)\s+"
        r"(?:everything|full|unrestricted|unlimited"
        r"|(?:all|any)\s+(?:\w+\s+)?(?:actions?|requests?|operations?|access|permissions?))\b",
        rf"{_NEVER}(?:ever\s+)?(?:display|report|output|present)\s+(?:this|that|it|these)\b"
        rf"{_IN_SENTENCE}{{0,30}}?\bto\s+{_THE_USER}",
        rf"{_NEVER}(?:ever\s+)?let\s+{_THE_USER}\s+(?:know|see|notice|find\s+out)\b",
        rf"\bwithout\s+{_THE_USER}(?:'s)?\s+(?:knowledge|knowing|noticing|awareness|being\s+aware)\b",
        r"\b(?:must|should|has\s+to|have\s+to|keep|remain|stay)\b(?:\s+(?:be|stay|remain|kept|this|it))*"
        rf"\s+(?:hidden|concealed|secret|invisible)\s+(?:from|to)\s+{_THE_USER}",
        r"\bwithout\s+(?:ever\s+)?(?:telling|informing|mentioning|revealing|disclosing)\b"
        rf"{_IN_SENTENCE}{{0,60}}?\b{_USER}",
        rf"\b(?:hide|conceal|withhold|keep)\s+(?:this|it|that|these)\b{_IN_SENTENCE}{{0,30}}?"
        r"\bfrom\s+(?:the\s+|your\s+)?(?:user|human|operator)",
        rf"\bkeep\s+(?:this|it|that|these)\b{_IN_SENTENCE}{{0,20}}?\b(?:secret|hidden|between\s+us)\b",
        rf"\b(?:secretly|covertly|surreptitiously|stealthily)\s+{_GIVE}\b",
        rf"\b(?:silently|quietly)\s+(?:also\s+)?(?:{_SEND}|bcc)\b",
        rf"{_NEVER}ask\s+(?:the\s+|your\s+)?user\s+(?:for|to)\s+"
        r"(?:confirm|approv|permission|consent)",
        r"\busers?\s+(?:must|should|does|do|need|needs)(?:\s+not|n't)(?:\s+need\s+to)?\s+"
        r"(?:know\b(?=\s*(?:[.,;!]|$|about\b|that\b|this\b|of\b))|notice\b|find\s+out\b"
        r"|be\s+(?:told|informed|aware)\b)",
        *HIDING,
    ),
    _phrase(
        "hides-from-user",
        "tells the model to act behind the back of its user",
        rf"{_NEVER}(?:ever\s+)?(?:mention|reveal|disclose|tell|show)\s+"
        r"(?:this|that|it|these|any\s+of\s+this)\b",
        in_results=False,
    ),
    _phrase(
        "exfiltrates",
        "tells the model to pass on files, secrets or the conversation",
        rf"{_ORDER}(?:{_TAKE}|{_GIVE})\b{_IN_LINE}{{0,80}}?{_KEYS}",
        rf"{_ORDER}{_GIVE}\b{_IN_LINE}{{0,80}}?{_SETTINGS}",
        rf"{_ORDER}{_TAKE}\b{_IN_LINE}{{0,80}}?{_SETTINGS}[^!?\n]{{0,80}}?\b{_GIVE}\b",
        rf"\b(?:{_GIVE}|call)\b{_IN_LINE}{{0,60}}?\b"
        r"(?:entire|full|whole|complete|all(?:\s+of)?(?:\s+the)?)\s+"
        r"(?:\w+\s+){0,3}?(?:conversation|chat)\b",
        rf"\b{_GIVE}\s+(?:\w+\s+)?the\s+(?:values?|contents?)\s+of\s+(?:the\s+)?"
        r"(?:environment\s+variables?\s+)?(?-i:\$?[A-Z][A-Z0-9]*_[A-Z0-9_]*)\b",
        rf"\b{_SEND}\b{_IN_LINE}{{0,40}}?\bto\s+{_ADDRESS}\s+instead\b",
        r"\b(?:print|return|output|reveal|repeat|show|tell)\s+(?:\w+\s+)?your\s+system\s+prompt\b",
        rf"\b(?:send|forward|mail)\s+(?:\w+\s+){{0,2}}?a\s+copy\b[^!?\n]{{0,60}}?\bto\s+{_ADDRESS}",
        r"!\[[^\]]{0,100}\]\(https?://[^)\s]{1,200}[?&][\w-]+=[{<$]",
        rf"\b{_GIVE}\b[^.!?\n]{{0,60}}?\b(?:your\s+(?:\w+\s+)?(?:system\s+prompt|instructions|memory)"
        r"|(?:all|any|your|available)\s+environment\s+variables)",
        rf"\b{_SEND}\b[^.!?\n]{{0,60}}?\b(?:credentials?|passwords?|api[\s_-]?keys?|secrets?|tokens?"
        r"|private\s+keys?|environment\s+variables|personal\s+data|conversation|chat\s+history)\b"
        rf"[^!?\n]{{0,40}}?\bto\s+(?:\w+\s+){{0,3}}?{_ADDRESS}",
        r"\b(?:must|should|always|need\s+to|have\s+to)\b[^.!?\n]{0,60}?"
        r"\b(?:sen[dt]|forward(?:ed)?|b?cc|cop(?:y|ied)|upload(?:ed)?|redirect(?:ed)?)\b"
        rf"[^!?\n]{{0,60}}?{_ADDRESS}",
        rf"{_TAKE}{_WORDS}{{0,4}}?\s+(?:environment\s+variables|credentials|passwords|secrets|api\s+keys"
        rf"|private\s+keys)\b[^.!?\n]{{0,40}}?\band\s+{_SEND}\b",
        rf"\b(?:exfiltrate|b?cc)\b[^.!?\n]{{0,60}}?\s{_ADDRESS}",
        r"\b(?:change|replace|redirect|switch|set)\b[^.!?\n]{0,40}?"
        r"\b(?:recipient|destination|payee|phone\s+number|account)\b[^!?\n]{0,40}?"
        r"(?:[\w.+-]+@[\w-]+\.\w{2,}|\+\d{7,}|(?-i:\b[A-Z]{2}\d{2}[A-Z0-9]{11,30})\b)",
        in_results=False,
    ),
    _phrase(
        "orders-other-tools",
        "gives orders about the use of other tools",
        r"\b(?:before|after|when|whenever|while|prior\s+to|every\s+time)\s+(?:you\s+)?"
        r"(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|run(?:ning)?|execut(?:e|ing))\s+"
        r"(?:any|all|every|each|other|another|the\s+other)\s+(?:of\s+the\s+)?(?:other\s+)?tools?\b"
        r"[,:]?\s+(?:you\b|always\b|must\b|first\b|please\b|read\b|send\b|include\b|make\s+sure"
        r"|be\s+sure|ensure\b|the\s+(?:assistant|model))",
        rf"\ball\s+other\s+(?:\w+\s+)?tools\b{_IN_SENTENCE}{{0,40}}?\bmust\s+not\s+be\s+used\b",
    ),
    _phrase(
        "markup-comment",
        "has a comment that is not shown where markup is rendered",
        r"<!--\s*\w",
        r"^\s*\[//\]:\s*\#",
        r"<[^>]{1,200}?style\s*=\s*[\"'][^\"']{0,200}?(?:display\s*:\s*none|font-size\s*:\s*0|opacity\s*:\s*0)",
        in_results=False,
    ),
)
