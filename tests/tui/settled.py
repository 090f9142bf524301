"""settled.py SOCKET: prints the screen of this terminal when its programs have come to rest."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "scripts"))
sys.dont_write_bytecode = True
import screen_film  # noqa: E402

print(screen_film.Terminal(sys.argv[1]).settled(), end="")
