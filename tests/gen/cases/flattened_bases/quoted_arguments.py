from typing import Protocol

from flattened_bases.lazy_base import Finder

from vcr_gen.boundary import outbound


@outbound
class Items(Finder["Item"], Protocol): ...


@outbound
class Indexes(Finder["dict[str, 'Item']"], Protocol): ...


class Item: ...
