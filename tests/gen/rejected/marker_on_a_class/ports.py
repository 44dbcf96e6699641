from vcr_gen.boundary import outbound


@outbound
class Plain:
    def run(self) -> int: ...
