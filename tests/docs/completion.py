"""Completes command lines in a real shell, on a terminal.

    completion.py bash|zsh|fish DIRECTORY_OF_COMPLETIONS COMMAND_LINE

Types the line and Tab. Then `printf` is inserted at its start, and shows the words of the completed line.
If the line ends in "?", the candidates are listed instead.
"""

import os
import pty
import re
import select
import sys
import time

shell, completions, line = sys.argv[1:]
START = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
SETUP = {
    "bash": f"PS1='READY> '; bind 'set completion-query-items 0'; bind 'set page-completions off'; . '{completions}/tt_smi.bash'",
    "zsh": f"PS1='READY> '; bindkey -e; LISTMAX=1000; unsetopt beep; fpath=('{completions}' $fpath); autoload -U compinit; compinit -u -D",
    "fish": f"function fish_prompt; echo 'READY> '; end; source '{completions}/tt_smi.fish'",
}
CONTROL_A, CONTROL_E = "\x01", "\x05"

pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(TERM="xterm", COLUMNS="100", LINES="60")
    os.execvp(START[shell][0], START[shell])


def send(text):
    os.write(terminal, text.encode())


def read_until(pattern):
    """Reads what the shell writes until the pattern occurs in it."""
    seen, end = "", time.monotonic() + 300
    while not re.search(pattern, seen):
        if time.monotonic() > end or not select.select([terminal], [], [], 1)[0]:
            if time.monotonic() > end:
                sys.exit(f"{pattern} is not in: {seen!r}")
            continue
        try:
            seen += os.read(terminal, 4096).decode(errors="replace")
        except OSError:
            sys.exit(f"the shell ended: {seen!r}")
    return seen


send(SETUP[shell] + "\r")
read_until("READY> [^']*$")
if line.endswith("?"):
    send(line[:-1] + "\t\t")
    print(read_until(r"(?s)doctor.*topo"))
else:
    send(line + "\t")
    # The shell reads these keys when the completion has ended.
    send(f"{CONTROL_A}printf '<%s>' {CONTROL_E}; echo '' END'OF'LINE\r")
    print(re.search(r"(<[^\r\n]*>)\s*ENDOFLINE", read_until(r"<[^\r\n]*>\s*ENDOFLINE"))[1])
os.close(terminal)
