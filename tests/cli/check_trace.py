"""Checks an strace log: the program has changed nothing outside of its own process.

check_trace.py TRACE [--server] [--sleep] [--write PATH]...: TRACE is what strace -f -y wrote.
Allowed are reading, and writing to stdout, stderr, the terminal and PATH (and
the temporary file that is renamed to it). --sleep: it may wait between samples. --server: it may
connect to the allocation server's socket.
"""
import os
import re
import sys

arguments = sys.argv[1:]
trace = arguments.pop(0)
server = sleep = False
writable = []
while arguments:
    word = arguments.pop(0)
    if word == "--server":
        server = True
    elif word == "--sleep":
        sleep = True
    else:
        writable.append(arguments.pop(0))

# Calls that change nothing beyond the process itself.
HARMLESS = set("""access arch_prctl brk clock_gettime clone clone3 close close_range dup execve exit
exit_group faccessat faccessat2 fcntl fstat fstatfs futex getcwd getdents64 getegid geteuid getgid
getpgrp getpid getppid getrandom getrlimit gettid gettimeofday getuid lseek madvise mprotect mremap munmap
newfstatat openat pause pipe2 poll ppoll pread64 prlimit64 read readlink readlinkat restart_syscall rseq
rt_sigaction rt_sigprocmask rt_sigreturn rt_sigtimedwait sched_getaffinity sched_yield
set_robust_list set_tid_address sigaltstack signalfd4 stat statx sysinfo tgkill uname
vfork eventfd2 timerfd_create timerfd_settime setrlimit statfs umask""".split())
FILE_CALLS = {"open", "openat", "openat2", "creat"}
# Files that the C library and the lookup of user names open.
LIBRARY = re.compile(r"^(/etc/ld\.so\.(cache|preload)|/etc/(nsswitch\.conf|passwd|localtime)|/usr/share/zoneinfo/.*|"
                     r"(/usr)?/lib(64|32)?/.*|/usr/lib/locale/.*)$")


def wrong(line, why):
    sys.exit(f"{trace}: {why}: {line.strip()}")


def may_write(path):
    return any(path == want or re.fullmatch(re.escape(want) + r"\.[0-9a-f]{16}", path) for want in writable)


def names_of(line):
    """The names in a line, as paths: relative ones belong to the descriptor before them, which strace -y prints."""
    for directory, name in re.findall(r'(?:(?:\d+|AT_FDCWD)<([^>]*)>, )?"([^"]*)"', line):
        yield os.path.normpath(f"{directory}/{name}") if directory and not name.startswith("/") else name


def own(line):
    """Is the descriptor a standard stream, or one of the files?"""
    match = re.match(r"\w+\((\d+)(?:<(.*?)>)?[,)]", line)
    if not match:
        return False
    path = (match[2] or "").removesuffix("(deleted)")
    return int(match[1]) in (1, 2) or may_write(path) or path.startswith(("/dev/pts/", "/dev/tty"))


seen = set()
with open(trace, encoding="utf-8", errors="replace") as file:
    for whole in file:
        line = re.sub(r"^(\[pid +)?\d+\]? +", "", whole)
        if line.startswith(("+++", "---", "<...", "strace:", "???")):
            continue
        call = line.split("(", 1)[0]
        seen.add(call)
        if call in FILE_CALLS:
            path = next(names_of(line), "")
            # O_PATH names a file and opens nothing.
            if "O_PATH" not in line and ("dev/tenstorrent" in path or re.search(r"= \d+<[^>]*dev/tenstorrent", line)):
                wrong(whole, "a device was opened")
            if re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)", line) or call == "creat":
                opened = (re.search(r"= \d+<([^>]*)>", line) or [None, path])[1]
                if not may_write(path) and not opened.startswith(("/dev/pts/", "/dev/tty")):
                    wrong(whole, "opened for writing")
        elif call in ("write", "writev", "pwrite64", "ftruncate", "fchmod", "fsync", "fdatasync"):
            if not own(line):
                wrong(whole, "written to something foreign")
        elif call in ("unlink", "rename", "renameat", "renameat2", "unlinkat"):
            names = list(names_of(line))
            if not names or not all(may_write(name) for name in names):
                wrong(whole, "a name was changed")
        elif call == "ioctl":
            if not re.search(r"TIOCGWINSZ|TCGETS|TCSETS|TIOCGPGRP|TIOCOUTQ", line):
                wrong(whole, "an ioctl that is not a terminal's")
        elif call == "mmap":
            if "MAP_SHARED" in line and "PROT_WRITE" in line and "MAP_ANONYMOUS" not in line:
                wrong(whole, "mapped for writing")
        elif call == "kill":
            if not re.search(r", 0\)", line):
                wrong(whole, "a signal was sent")
        elif call in ("clock_nanosleep", "nanosleep", "select", "pselect6"):
            if not sleep:
                wrong(whole, "it slept")
        elif call in ("socket", "connect", "sendto", "sendmsg", "recvmsg", "recvfrom", "getsockopt", "setsockopt"):
            if not server:
                wrong(whole, "it connected to a server")
            if call == "socket" and "AF_UNIX" not in line:
                wrong(whole, "it talked to the network")
            if call == "connect" and not re.search(r'tt-smi/allocd\.sock"', line):
                wrong(whole, "it connected to an unexpected socket")
        elif call not in HARMLESS:
            wrong(whole, f"{call} is not on the list")
# An empty trace would prove nothing.
if not seen & (FILE_CALLS | {"execve"}):
    sys.exit(f"{trace}: this is no trace of tt_smi: {sorted(seen)}")
