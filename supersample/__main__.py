"""``python -m supersample``, and the command ``supersample``."""

import atexit
import gc
import signal

OBJECTS_BETWEEN_COLLECTIONS = 200_000  # Python's 700 are a tenth of the time of short commands


def main() -> None:
    """Run the command line; until it is loaded, Ctrl-C ends the process without a word."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    atexit.register(gc.freeze)  # so that collections at the exit, a fifth of the time, find nothing
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored by nohup
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from supersample.cli import main

    main()


if __name__ == "__main__":
    main()
