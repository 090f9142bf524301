#!/usr/bin/env bats
# tt_smi topo: distances on the bus.

load helpers

setup() {
	make_work
	export TT_SMI_ROOT=$D
}

# topo [OPTIONS]: the matrix without its legend.
topo() {
	"$TT_SMI" topo "$@" 2>/dev/null 3>&- | sed '/^$/,$d'
}

# cell ROW COLUMN
cell() {
	topo | awk -v row="$1" -v column="$2" \
		'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i + 1; next } $1 == row { print $at }'
}

# move INDEX ADDRESS PATH: moves the device below this path of bridges.
move() {
	ln -sfn "../../devices/$3/$2/tenstorrent/tenstorrent!$1" "$(class "$1")"
	shift
	mkdir -p "$D/sys/devices/$2"
	mv "$(readlink -f "$D/sys/bus/pci/devices/$1")" "$D/sys/devices/$2/$1"
	ln -sfn "../../../devices/$2/$1" "$D/sys/bus/pci/devices/$1"
}

@test "devices, the chip behind one, and the CPUs near them" {
	machine -b n300,p150a,galaxy-wormhole --no-workloads
	[ "$(topo -i 32,32R,33 -m)" = "$(printf '%s\n' \
		'        GPU32   GPU32R  GPU33   CPU Affinity  NUMA Affinity' \
		'GPU32   X       ETH     PHB     0-1           N/A' \
		'GPU32R  ETH     X       PHB     0-1           N/A' \
		'GPU33   PHB     PHB     X       0-1           N/A')" ]
	[ "$(cell GPU0 GPU1)" = PHB ]
	[ "$(cell GPU0 GPU8)" = NODE ]
}

@test "switches, NUMA nodes and adapters" {
	machine -b p150a,p150a,p150a,p150a --no-workloads
	move 1 0000:02:00.0 pci0000:00/0000:00:03.0/0000:10:00.0/0000:11:00.0
	move 2 0000:03:00.0 pci0000:00/0000:00:03.0/0000:10:00.0/0000:11:01.0
	move 3 0000:04:00.0 pci0000:80/0000:80:01.0
	echo 1 >"$D/sys/bus/pci/devices/0000:04:00.0/numa_node"
	echo 2-3 >"$D/sys/bus/pci/devices/0000:04:00.0/local_cpulist"
	local nic=$D/sys/devices/pci0000:80/0000:80:02.0/0000:90:00.0
	mkdir -p "$nic/infiniband/mlx5_0" "$D/sys/class/infiniband"
	ln -s ../../devices/pci0000:80/0000:80:02.0/0000:90:00.0/infiniband/mlx5_0 "$D/sys/class/infiniband/mlx5_0"
	ln -s ../.. "$nic/infiniband/mlx5_0/device"
	echo 1 >"$nic/numa_node"
	topo
	[ "$(cell GPU1 GPU2)" = PIX ]
	[ "$(cell GPU0 GPU1)" = PHB ]
	[ "$(cell GPU0 GPU3)" = SYS ]
	[ "$(cell GPU3 NIC0)" = PHB ]
	[ "$(cell GPU0 NIC0)" = SYS ]
	[[ "$(topo | grep ^GPU3)" =~ \ 2-3\ +1$ ]]
	"$TT_SMI" topo 2>/dev/null 3>&- | grep -q '^  NIC0: mlx5_0$'
}

@test "a device whose place is not in sysfs" {
	machine -b p150a,p150a --no-workloads
	rm "$D/sys/bus/pci/devices/0000:02:00.0"
	topo
	[ "$(cell GPU0 GPU1)" = N/A ]
	[ "$(cell GPU1 GPU1)" = X ]
}

@test "wrong options, no driver" {
	machine -b n150
	capture() {
		status=0
		"$TT_SMI" "$@" >"$WORK/out" 2>"$WORK/err" 3>&- || status=$?
	}
	expect_error 2 'unknown option' topo --nothing
	expect_error 6 'device 9: there is no such device' topo -i 9
	mkdir "$WORK/empty"
	export TT_SMI_ROOT=$WORK/empty
	expect_error 9 'driver is not loaded' topo
}
