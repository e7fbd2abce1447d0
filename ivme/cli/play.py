"""`ivme play`: an interactive page, live from the engine."""

from __future__ import annotations

from typing import Annotated

import typer

from ivme.cli import output


def play(
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 picks a free one.")] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
) -> None:
    """Serve a small page for teaching, on this machine only, until interrupted.

    A slider for ε, a graph whose tuples are inserted and deleted by clicks, its heavy and light values, the
    views, and the counted steps. The address is printed.

    \b
    Example:
      ivme play --no-browser --port 8000
    """
    import sys
    import threading
    import webbrowser

    from ivme.play import PlayServer

    with PlayServer(port) as server:
        output.say(server.url)
        sys.stdout.flush()
        output.remark("stop with Ctrl-C")
        if browser:
            # a browser in the terminal would block
            threading.Thread(target=webbrowser.open, args=(server.url,), daemon=True).start()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            output.remark("stopped")
