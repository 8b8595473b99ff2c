"""`sfumato gateway serve`: runs the HTTP interface."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.answering import answering
from sfumato.gateway.cli.options import SetupOption

if TYPE_CHECKING:
    from uvicorn import Config


def serve(
    *,
    host: Annotated[str, typer.Option(help="The address to listen at; only this machine by default.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen at.")] = 8443,
    certificate: Annotated[Path | None, typer.Option(help="The TLS certificate, as PEM.")] = None,
    key: Annotated[Path | None, typer.Option(help="The key of the TLS certificate, as PEM.")] = None,
    setup: SetupOption = Path("gateway.toml"),
) -> None:
    """Answer queries over HTTP until interrupted; other machines are served only with a certificate."""
    with answering():
        from sfumato.errors import UsageError

        if (certificate is None) != (key is None):
            raise UsageError("give both --certificate and --key, or neither.")
        if certificate is None and host not in ("127.0.0.1", "::1", "localhost"):
            raise UsageError(
                "questions and tokens must not be sent over a network unencrypted; give --certificate and --key."
            )
        from sfumato.gateway.http.listening import close, listen, url_of

        sockets = listen(host, port)
        try:
            _serve(sockets, url_of(host, port, encrypted=certificate is not None), certificate, key, setup)
        finally:
            close(sockets)


def _serve(sockets: list[socket], url: str, certificate: Path | None, key: Path | None, setup: Path) -> None:
    """Serve on sockets that are already open."""
    import uvicorn

    from sfumato.gateway.http.http_api import HttpApi
    from sfumato.gateway.http.timed_protocol import timed_protocol
    from sfumato.gateway.local.commands import ServedCommands
    from sfumato.gateway.local.server import LocalServer, demand_free
    from sfumato.gateway.local.wire import socket_of
    from sfumato.gateway.people.people_file import PeopleFile
    from sfumato.gateway.setup.live_setup import LiveSetup

    demand_free(socket_of(setup))
    live = LiveSetup(setup)
    try:
        config = uvicorn.Config(
            HttpApi(live, PeopleFile(live.setup.users)),
            http=timed_protocol(lambda: live.allowances.header_seconds),
            ws="none",
            ssl_certfile=None if certificate is None else str(certificate),
            ssl_keyfile=None if key is None else str(key),
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,  # the address of a client is not used, so no proxy header is trusted
        )
        _load(config)
        with LocalServer(socket_of(setup), ServedCommands(live, setup)), suppress(KeyboardInterrupt):
            typer.echo(f"Listening at {url}; Ctrl-C ends it.")
            uvicorn.Server(config).run(sockets=sockets)
    finally:
        live.close()


def _load(config: Config) -> None:
    """Load the certificate before the server says that it listens."""
    from sfumato.errors import UsageError

    try:
        config.load()
    except OSError:  # includes errors inside a certificate
        raise UsageError(
            "the certificate or its key cannot be read; give both as PEM files that belong together."
        ) from None
