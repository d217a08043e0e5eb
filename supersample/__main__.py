"""``python -m supersample``, and the command ``supersample``."""

import atexit
import gc
import signal
import sys

# Python's default of 700 costs a tenth of the time of short commands
OBJECTS_BETWEEN_COLLECTIONS = 200_000


def main() -> None:
    """Run the command line; until it is loaded, Ctrl-C ends the process silently."""
    # Python tidies up the semaphores that stopped work leaves, and need not warn of them
    sys.warnoptions.append("ignore:resource_tracker:UserWarning")
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    atexit.register(gc.freeze)  # avoids collections at exit, a fifth of the time
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored by nohup
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from supersample.cli import main

    main()


if __name__ == "__main__":
    main()
