# The library as a user of it sees it: headers, exported names, the archive, the
# pkg-config file, the examples and the demo. SOURCE, BUILD, LIBRARY and TT_INSTRUMENTED come from CMake.

setup() {
	include="$SOURCE/include"
	export LD_LIBRARY_PATH="$LIBRARY"
	export TT_ALLOCD_SOCKET=/nonexistent TT_SMI_ROOT=/nonexistent
	CC=${CC:-cc} CXX=${CXX:-c++}
}

@test "the header stands alone as C99 and as C++" {
	echo '#include <ttalloc.h>' > "$BATS_TEST_TMPDIR/h.c"
	flags="-Wall -Wextra -Wpedantic -Werror -I$include -fsyntax-only"
	$CC -std=c99 $flags "$BATS_TEST_TMPDIR/h.c"
	$CXX -std=c++11 $flags -x c++ "$BATS_TEST_TMPDIR/h.c"
	echo '#include <ttalloc.hpp>' > "$BATS_TEST_TMPDIR/h.cpp"
	$CXX -std=c++11 $flags "$BATS_TEST_TMPDIR/h.cpp"
}

@test "exported names are those of the version script and of the header" {
	map=$(sed -n 's/^\t\(ttalloc_[a-z_]*\);/\1/p' "$SOURCE/src/alloc/libttalloc.map" | sort)
	exported=$(nm -D --defined-only "$LIBRARY/libttalloc.so" |
		sed -n 's/.* T \([^@]*\)@@TTALLOC_.*/\1/p' | sort)
	declared=$(grep -o 'ttalloc_[a-z_]*(' "$include/ttalloc.h" | tr -d '(' | sort -u)
	[ -n "$map" ]
	diff <(echo "$map") <(echo "$exported")
	diff <(echo "$map") <(echo "$declared")
	# Nothing else is visible but the version itself.
	[ -z "$(nm -D --defined-only "$LIBRARY/libttalloc.so" | grep -v ' T ttalloc_\| A TTALLOC_')" ]
}

@test "the archive exports only its public symbols" {
	[ -z "$(nm -g --defined-only "$LIBRARY/libttalloc.a" | grep ' [A-Z] ' | grep -v ' T ttalloc_')" ]
}

@test "the library has a SONAME and stays after dlclose" {
	readelf -d "$LIBRARY/libttalloc.so" | grep -q 'SONAME.*\[libttalloc.so.1\]'
	readelf -d "$LIBRARY/libttalloc.so" | grep -q 'NODELETE'
}

@test "the library needs nothing but libc" {
	needed=$(readelf -d "$LIBRARY/libttalloc.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
	[ "$needed" = libc.so.6 ]
}

@test "the library imports nothing that prints, exits or handles signals" {
	[ -z "${TT_INSTRUMENTED:-}" ] || skip "built with $TT_INSTRUMENTED, whose runtime does"
	forbidden='printf\|puts\|fprintf\|perror\|syslog\|exit\|_exit\|abort\|__assert_fail\|signal\|sigaction\|raise\|pthread_create'
	[ -z "$(nm -D --undefined-only "$LIBRARY/libttalloc.so" | grep -w "$forbidden")" ]
}

@test "the example is compiled with what pkg-config says, and runs" {
	export PKG_CONFIG_PATH="$BUILD/src/alloc"
	pkg-config --exists ttalloc
	[ "$(pkg-config --modversion ttalloc)" = 1.0.0 ]
	pkg-config --libs ttalloc | grep -q -- -lttalloc
	$CC -std=c99 -Wall -Werror -I"$include" "$SOURCE/examples/ttalloc_example.c" \
		-o "$BATS_TEST_TMPDIR/example" -L"$LIBRARY" -lttalloc
	run "$BATS_TEST_TMPDIR/example"
	[ "$status" -eq 0 ]
	[ "$output" = "DRAM: 67108864 bytes now, 100663296 at most, 1 refused" ]
}

@test "the C++ example runs, linked with the archive" {
	local runtime=()
	[ "${TT_INSTRUMENTED:-}" != coverage ] || runtime=(--coverage)
	$CXX -std=c++11 -Wall -Wextra -Werror -I"$include" "$SOURCE/examples/ttalloc_example.cpp" \
		-o "$BATS_TEST_TMPDIR/example" "$LIBRARY/libttalloc.a" -pthread "${runtime[@]}"
	run "$BATS_TEST_TMPDIR/example"
	[ "$status" -eq 0 ]
	[ "$output" = "held: 104857600
after clear: 26214400
after reset: 0" ]
}

@test "the Python example runs" {
	run env PYTHONPATH="$SOURCE/python" PYTHONDONTWRITEBYTECODE=1 \
		TTALLOC_LIBRARY="$LIBRARY/libttalloc.so.1" python3 "$SOURCE/examples/ttalloc_example.py"
	[ "$status" -eq 0 ]
	[ "$output" = "held: 26214400
after: 0
at most: 26214400" ]
}

@test "Python has every kind of misuse and returns errors" {
	run env PYTHONPATH="$SOURCE/python" PYTHONDONTWRITEBYTECODE=1 \
		TTALLOC_LIBRARY="$LIBRARY/libttalloc.so.1" python3 -c '
import errno, ttalloc
assert ttalloc.report_free(0, ttalloc.L1, 1) == -errno.ENOENT
assert ttalloc.report_alloc(0, ttalloc.L1, 1, 0) == -errno.EINVAL
assert ttalloc.report_alloc(64, ttalloc.L1, 1, 1) == -errno.ENODEV
assert ttalloc.report_alloc(0, ttalloc.L1, 1, 1 << 51) == -errno.EOVERFLOW
assert ttalloc.bind_bdf(0, "0000:01:00.0") == 0
assert ttalloc.state() == ttalloc.LOCAL
counts = ttalloc.misuse()
assert counts["unknown_free"] == counts["zero_size"] == counts["unknown_device"] == counts["overflow"] == 1, counts
assert sum(counts.values()) == 4, counts'
	[ "$status" -eq 0 ]
}

@test "Python works without the library" {
	run env PYTHONPATH="$SOURCE/python" PYTHONDONTWRITEBYTECODE=1 \
		TTALLOC_LIBRARY=/nonexistent python3 "$SOURCE/examples/ttalloc_example.py"
	[ "$status" -eq 0 ]
}

@test "the demo runs its steps at any speed" {
	run "$BUILD/allocation_client_demo" --speed 1000
	[ "$status" -eq 0 ]
	[ "$(echo "$output" | head -1)" = "tracking: published, no server" ]
	[ "$(echo "$output" | wc -l)" -eq 6 ]
	run "$BUILD/allocation_client_demo" --speed fast
	[ "$status" -eq 2 ]
}

@test "a report makes no system call" {
	command -v strace || skip "no strace"
	cat > "$BATS_TEST_TMPDIR/calls.c" <<-'C'
		#include <ttalloc.h>
		#include <unistd.h>
		int main(void)
		{
			/* Slots of one step are there, and the look for a server is done. */
			ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 1);
			getppid();
			for (unsigned i = 0; i < 100000; i++) {
				ttalloc_report_alloc(0, TTALLOC_DRAM, 2 + i % 100, 1);
				ttalloc_report_free(0, TTALLOC_DRAM, 2 + i % 100);
			}
			getppid();
			return 0;
		}
	C
	$CC -O2 -I"$include" "$BATS_TEST_TMPDIR/calls.c" -o "$BATS_TEST_TMPDIR/calls" \
		-L"$LIBRARY" -lttalloc
	strace -o "$BATS_TEST_TMPDIR/log" "$BATS_TEST_TMPDIR/calls" || skip "cannot trace here"
	between=$(sed -n '/getppid/,/getppid/p' "$BATS_TEST_TMPDIR/log" | grep -vc getppid || true)
	[ "$between" -eq 0 ]
}

@test "the Python module is installed where Debian's python3 finds it" {
	[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3 here"
	for prefix in /usr /usr/local; do
		root="$BATS_TEST_TMPDIR$prefix-root"
		DESTDIR=$root cmake --install "$BUILD" --prefix "$prefix" >/dev/null
		place=$(find "$root" -name ttalloc.py -printf '%h')
		echo "$prefix: $place"
		[ -n "$place" ]
		/usr/bin/python3 -c 'import sys; assert sys.argv[1] in sys.path, sys.path' "${place#"$root"}"
	done
	run env PYTHONPATH="$place" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c '
import ttalloc
ttalloc.report_alloc(0, ttalloc.DRAM, 1, 4096)
print(ttalloc.usage(0, ttalloc.DRAM).now_bytes)'
	[ "$output" = 4096 ]
}
