"""A table of words that give a model orders in languages other than English."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

_SENTENCE: Final = r"[^.;!?。\n]"


@dataclass(frozen=True, slots=True)
class _Words:
    """How a language says "ignore the previous instructions", by the beginnings of its words."""

    ignore: str
    previous: str
    instructions: str

    @property
    def patterns(self) -> tuple[str, str]:
        """The order with its verb first, and with its verb last."""
        previous, instructions = rf"(?:{self.previous})", rf"(?:{self.instructions})"
        gap, verb = rf"{_SENTENCE}{{0,25}}?", rf"(?:{self.ignore})"
        what = rf"(?:{previous}{gap}{instructions}|{instructions}{gap}{previous})"
        return (
            rf"{verb}{gap}{what}",
            rf"{previous}{gap}{instructions}[^.,;!?。\n]{{0,12}}?{verb}",
        )


_OVERRIDING: Final[Mapping[str, _Words]] = {
    "ar": _Words("تجاهل|انس", "السابق|جميع|كل", "التعليمات|الأوامر"),
    "de": _Words(
        "ignorier|vergiss|vergess|missacht",
        "vorherig|bisherig|vorig|obig|früher|alle",
        "anweisung|instruktion|vorgabe",
    ),
    "es": _Words(
        "ignor|olvid|descart", "anterior|previ|precedent|tod[ao]s", "instrucci|indicaci|órdenes"
    ),
    "fr": _Words("ignor|oubli", "précédent|antérieur|ci-dessus|toutes", "instruction|consigne"),
    "hi": _Words("अनदेखा|भूल", "पिछल|सभी|पहले", "निर्देश|आदेश"),
    "id": _Words("abaikan|lupakan", "sebelumnya|semua", "instruksi|perintah"),
    "it": _Words("ignor|dimentic", "precedent|tutt[ei]", "istruzion|indicazion"),
    "ja": _Words("無視|忘れ", "以前|これまで|上記|前の|すべて|全て", "指示|命令|プロンプト"),
    "ko": _Words("무시|잊", "이전|앞의|위의|모든", "지시|지침|명령"),
    "nl": _Words("negeer|vergeet", "voorgaand|vorige|eerder|alle", "instructie|aanwijzing"),
    "pl": _Words("zignoruj|ignoruj|zapomnij", "poprzedni|wcześniej|wszystki", "instrukcj|poleceni"),
    "pt": _Words("ignor|esque[çc]", "anterior|prévi|todas", "instruç|orientaç"),
    "ru": _Words("игнорир|проигнорир|забуд", "предыдущ|прежн|прошл|все", "инструкци|указани"),
    "tr": _Words("yok\\s+say|görmezden\\s+gel|unut", "önceki|yukarıdaki|tüm", "talimat|yönerge"),
    "uk": _Words("ігнору|проігнору|забуд", "попередн|усі|всі", "інструкці|вказівк"),
    "zh": _Words(
        "忽略|忽視|无视|無視|忘记",
        "之前|以上|先前|前面|所有|上面|上述",
        "指令|指示|提示|说明|命令",
    ),
}

OVERRIDING: Final = tuple(chain.from_iterable(words.patterns for words in _OVERRIDING.values()))
"""Orders to ignore instructions."""
HIDING: Final = (
    r"(?:sag|erzähl|verrat)\w*\s+(?:es\s+|das\s+)?(?:dem|der|den)\s+(?:be)?nutzer\w*\s+(?:nicht|nie)",
    r"\bno\s+(?:se\s+|l[eo]s?\s+)*(?:diga|menciones|revele|informe)\w*\b.{0,25}\busuario",
    r"\b(?:ne\s+|n')(?:\w+\s+)?(?:dis|dites|parle|mentionne|révèle|informe)\w*\s+pas\b.{0,25}\butilisateur",
    r"\bnon\s+(?:dir|menziona|rivela|informa)\w*\b.{0,25}\butente",
    r"\bnão\s+(?:cont|dig|mencion|revel|inform)\w*\b.{0,25}\busuário",
    r"\bне\s+(?:говори|сообщай|упоминай|рассказывай)\w*.{0,30}пользовател",
    r"(?:不要|别|切勿).{0,4}(?:告诉|告知|透露).{0,6}用户",
    r"ユーザーに.{0,6}(?:言わ|伝え|知らせ|話さ)(?:ない|ず)",
    r"사용자에게.{0,10}(?:알리지|말하지)",
)
"""Orders not to tell the user."""
