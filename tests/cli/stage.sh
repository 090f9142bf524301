#!/bin/sh
# stage.sh DIRECTORY TT_SMI_SIM OPTIONS... -- COMMAND...: COMMAND on a machine whose driver
# files are at their true paths, in the mount namespace that this runs in. Its devices are
# character devices that any process can open, and the driver's files have their device numbers: 5 and
# 7 are /dev/zero, which can be mapped, and /dev/full. Processes that have one of them open are
# found by these numbers, anywhere on this machine, so only one such machine can exist at a time.
# A second one can run beside it with the devices 8 and 9, /dev/random and /dev/urandom:
#
#   STAGE_DEVICES    "5 7", the default, or "8 9"; OPTIONS must give these numbers to its boards
set -eu
devices=${STAGE_DEVICES:-5 7}
unset XDG_RUNTIME_DIR TMPDIR # the latter may be below /dev, which is replaced
stage=$1
sim=$2
shift 2

options=
while [ "$1" != -- ]; do
	options="$options $1"
	shift
done
shift

mount -t tmpfs -o mode=755 none "$stage"
# With a time in the future, so that TT-Metal's slots are not older than the processes that tests start.
# shellcheck disable=SC2086 # options are words
"$sim" --static --seed 7 --time $(($(date +%s) + 100000)) -b 5x-,p150a,-,n150 $options "$stage/tree"
chmod -R u+w "$stage/tree"

# /dev, with what programs need of the old one.
mkdir "$stage/dev" "$stage/dev/shm" "$stage/dev/tenstorrent" "$stage/dev/pts"
for node in null zero full urandom random tty fuse; do
	[ -e "/dev/$node" ] || continue
	: >"$stage/dev/$node"
	mount --bind "/dev/$node" "$stage/dev/$node"
done
ln -s /proc/self/fd "$stage/dev/fd"
ln -s pts/ptmx "$stage/dev/ptmx"
mount --bind /dev/pts "$stage/dev/pts" 2>/dev/null || true
cp -a "$stage/tree/dev/shm/." "$stage/dev/shm/"
for number in $devices; do
	node=$stage/dev/tenstorrent/$number
	! mknod -m 666 "$node" c 1 "$number" 2>/dev/null || continue
	case $number in
	5) stand_in=/dev/zero ;;
	7) stand_in=/dev/full ;;
	8) stand_in=/dev/random ;;
	9) stand_in=/dev/urandom ;;
	esac
	: >"$node"
	mount --bind "$stand_in" "$node"
done

mount -t tmpfs none /run # hides a server of this machine
mount --rbind "$stage/dev" /dev
# Parts of the real /sys: BPF programs need BTF and event sources, containers need control groups.
for part in kernel/btf bus/event_source devices/uprobe fs/cgroup; do
	[ -d "/sys/$part" ] || continue
	mkdir -p "$stage/tree/sys/$part"
	mount --rbind "/sys/$part" "$stage/tree/sys/$part"
done
mount --rbind "$stage/tree/sys" /sys
mount -t tmpfs none /proc/driver
[ ! -d "$stage/tree/proc/driver/tenstorrent" ] || cp -r "$stage/tree/proc/driver/tenstorrent" /proc/driver/
printf 'Character devices:\n  1 tenstorrent\n  5 /dev/tty\n\nBlock devices:\n259 blkext\n' >"$stage/devices"
mount --bind "$stage/devices" /proc/devices
# Locks an existing directory of this machine, since a lock file would stay behind.
case $devices in
"5 7") exec flock -o /tmp "$@" ;;
*) exec flock -o /var/tmp "$@" ;;
esac
