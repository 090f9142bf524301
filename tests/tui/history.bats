#!/usr/bin/env bats
# Every view of machines with 1, 4 and 32 devices after 5 s, 60 s and 10 min of samples, in terminals of three sizes,
# compared with the files in golden/; UPDATE_GOLDEN=1 writes them.

load helpers

@test "after 5 s, 60 s and 10 min of samples" {
	[ -z "${TT_SANITIZE:-}" ] || skip "a sanitizer has its own clock_gettime()"
	python3 "$HERE/film.py" "$(dirname "$TT_SMI")" "$HERE/golden" 3>&-
}
