"""Run in each page's kernel before its cells: commands print plainly, and errors end a page.

Commands wrap what they print to the width of a page, as on a terminal.
"""

import os
import subprocess

from IPython.core.magic import register_cell_magic

# kernels ask for colours, as if pages were terminals
for name in ("FORCE_COLOR", "CLICOLOR", "TERM"):
    os.environ.pop(name, None)
os.environ["COLUMNS"] = "88"


@register_cell_magic
def sh(_line: str, cell: str) -> None:
    """Run commands of a shell; print what they print once they end."""
    ended = subprocess.run(
        ["sh", "-e", "-c", cell], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    print(ended.stdout, end="")
    ended.check_returncode()
