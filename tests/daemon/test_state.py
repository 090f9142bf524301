"""The state that a server passes on when it executes itself again after SIGHUP: the next server works even if it is damaged.

Each test damages the state of a server with clients of all kinds in one place: see state_edit.c.
"""

import sys

from allocd import *

UNUSABLE = "cannot use the state of the previous server"
PARTLY = "cannot use all of the previous server's state"


class Spoiled:
    """A server with every kind of client, which then executes itself again with a damaged state."""

    def __init__(self, directory):
        self.program = directory + "/tt_allocd"
        self.real = directory + "/real"
        shutil.copy(ALLOCD, self.program)
        shutil.copy(ALLOCD, self.real)
        self.server = Server(directory, wait=False)
        self.server.kill()
        command = self.server.command()
        self.server.command = lambda: [self.program, *command[1:]]

    def start(self, edit):
        server = self.server
        server.environment = {"STATE_EDIT": edit, "STATE_NEXT": self.real}
        for path in (server.path, server.legacy):
            if os.path.exists(path):
                os.unlink(path)
        shutil.copy(ALLOCD, self.program + ".new")
        os.rename(self.program + ".new", self.program)
        server.start()
        self.own = Program(server)
        self.own.alloc(1, 1000)
        gone = Legacy(server)
        gone.alloc(1, 77), gone.query()
        gone.close()  # its process still runs: an account without a connection
        wait(lambda: server.ask(WANT_FINISHED).finished, "the account")
        self.legacy = Legacy(server)
        self.legacy.alloc(7, 50), self.legacy.alloc(8, 5, L1), self.legacy.query()
        wait(lambda: len(server.ask().living) == 2, "all clients")
        shutil.copy(HELPERS + "/daemon_state_edit", self.program + ".new")
        os.rename(self.program + ".new", self.program)
        seen = server.log().count("listening on")
        server.child.send_signal(signal.SIGHUP)
        wait(lambda: server.log().count("listening on") > seen or server.child.poll() is not None, "the next server")
        assert server.child.poll() is None, (edit, server.child.returncode, server.log()[-500:])

    def still_serves(self, edit):
        """Asserts that new clients are served, whatever has happened to the old ones."""
        server = self.server
        c = Legacy(server, 144)
        c.alloc(99, 3, DRAM, 9)
        assert c.query(9)[DRAM] == 3, edit
        p = Program(server)
        p.alloc(1, 11)
        wait(lambda: any(q.pid == p.pid and q.now() == 11 for q in server.ask().living), "a new program")
        server.ask(ALLOCATIONS | WANT_FINISHED)
        try:  # an old client may have lost its connection, but must not do harm
            self.legacy.sock.sendall(record(FREE, 0, 0, 0, 0, 7) * 300 + record(FREE, 0, 0, 0, 0, 8))
        except OSError:
            pass
        assert c.query(9)[DRAM] == 3, edit
        c.close(), p.end()

    def stop(self, edit):
        self.legacy.close()
        self.own.end()
        status = self.server.stop()
        assert status == 0, (edit, status)


@bare
def test_a_valid_state_is_kept(directory):
    s = Spoiled(directory)
    s.start("nothing")
    assert s.server.ask().of(os.getpid(), LEGACY).now() == 55
    assert s.server.ask().of(s.own.pid).now() == 1000
    assert s.server.ask(WANT_FINISHED).finished[0].peak() == 77
    assert s.legacy.query()[DRAM] == 1050
    assert "previous server" not in s.server.log()
    s.still_serves("nothing")
    s.stop("nothing")


@bare
def test_a_state_of_another_build_is_not_used(directory):
    s = Spoiled(directory)
    for edit in ("magic", "version", "older version", "head size", "client's size", "process's size",
                 "process's size by an entry", "legacy connection's size", "account's size", "last record's size",
                 "no size", "kind", "another kind", "entries", "devices", "usages of an account"):
        s.start(edit)
        assert UNUSABLE in s.server.log(), edit
        assert s.legacy.is_closed()  # the connection does not stay open without being served
        s.still_serves(edit)
        s.stop(edit)


@bare
def test_numbers_outside_of_their_section_are_found(directory):
    s = Spoiled(directory)
    for edit in ("connections", "clients", "processes", "legacy connections", "accounts", "exit_watches",
                 "client's connection", "client's connection by one",
                 "entry's device", "entry's device by one", "entry's device that has no totals", "entry's pool",
                 "entry's pool by one", "entry's size", "legacy connection's process",
                 "legacy connection's process below", "received", "received beyond its end", "sent",
                 "bytes of a record", "size of records", "exit_watch's account",
                 "exit_watch's account by one"):
        s.start(edit)
        assert PARTLY in s.server.log(), edit
        s.still_serves(edit)
        s.stop(edit)


@bare
def test_a_truncated_state_is_used_as_far_as_possible(directory):
    s = Spoiled(directory)
    for edit in ("within the head", "within a client", "within a process", "within an entry",
                 "within a legacy connection", "within an account", "within the usages of an account",
                 "one byte early"):
        s.start("end " + edit)
        assert (UNUSABLE if edit == "within the head" else PARTLY) in s.server.log(), edit
        s.still_serves(edit)
        s.stop(edit)


if __name__ == "__main__":
    run(sys.modules[__name__])
