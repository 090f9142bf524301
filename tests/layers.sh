#!/bin/sh
# Checks that each folder of src/ includes only folders that its tt_layer() names, directly or
# indirectly.
#
#   layers.sh SOURCE_FOLDER
set -eu
cd "$1"

# reach LAYER: prints all layers that this one may use, itself first.
reach() {
	known=" $1 "
	pending=$1
	while [ -n "$pending" ]; do
		next=
		for layer in $pending; do
			# shellcheck disable=SC2013 # words are wanted
			for below in $(sed -n "s/^tt_layer($layer DEPENDS \(.*\))/\1/p" "$layer/CMakeLists.txt"); do
				case $known in
				*" $below "*) ;;
				*) known="$known$below " next="$next $below" ;;
				esac
			done
		done
		pending=$next
	done
	echo "$known"
}

status=0
checked=0
for folder in */; do
	layer=${folder%/}
	grep -qs "^tt_layer($layer\>" "$layer/CMakeLists.txt" || continue
	may=" $(reach "$layer") "
	for line in $(grep -rHoE '^#include "[a-z_]+/' --include='*.[ch]' "$layer" | tr -d ' '); do
		used=${line##*\"}
		case $may in
		*" ${used%/} "*) ;;
		*)
			echo "${line%%:*} includes ${used}…, which src/$layer may not use" >&2
			status=1
			;;
		esac
	done
	checked=$((checked + 1))
done
# A change in the format of CMakeLists.txt must not make this test check nothing.
[ "$checked" -ge 6 ] || { echo "only $checked layers found" >&2; exit 1; }
exit $status
