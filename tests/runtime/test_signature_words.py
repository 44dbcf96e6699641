"""The signatures that cassettes remember are the same in every run and on every Python."""

from pathlib import Path
from typing import Annotated

from vcr_gen.boundary import Codec, Match, Secret
from vcr_gen.runtime import Boundary, Call, OutboundWrapper, event


def close(recorded: float, actual: float) -> bool:
    return abs(recorded - actual) < 1


class Metadata:
    """Somebody else's word in `Annotated`; its repr shows an address."""


@event
class ShopBuy(Call):
    amount: Annotated[float, Match(close)]
    where: Annotated[Path, Codec(str, Path), Metadata()]
    token: Annotated[str, Secret]

    def __call__(self, target: object) -> Path | None:
        return None


class VcrShop(OutboundWrapper[object]):
    pass


def test_a_signature_holds_no_address_and_no_private_module() -> None:
    shop = Boundary(
        "Shop", direction="outbound", protocol="shop:Shop", wrapper=VcrShop, calls={"buy": ShopBuy}
    )

    assert shop.signatures()["buy"].replace(f"{__name__}.", "") == (
        "(amount: Annotated[float, Match(close)], "
        "where: Annotated[pathlib.Path, Codec(str, Path), <Metadata object>], "
        "token: Annotated[str, Secret]) -> pathlib.Path | None"
    )
