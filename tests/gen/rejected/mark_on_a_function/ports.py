from vcr_gen.boundary import inbound, outbound


@outbound
def run(command: str) -> str: ...


@inbound(name="server")
async def serve(port: int) -> None: ...
