#!/usr/bin/env bats
# The full screen while devices hang, disappear and return, and processes are killed.

load helpers

@test "a device that blocks affects its own row, and keys still work" {
	needs_fuse
	# The leak check stops all threads, which is not possible for one in a read that hangs.
	export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
	start -b n150,p150a,n150 --fault hang:1/tt_aiclk@1000
	watch 100x30 -r 100
	eventually shows 'Blackhole p150a'
	next_fault
	eventually shows 'timed out, values of [1-9][0-9]*s ago'
	# The first sample after the hang waits for its deadline; keys do not.
	python3 "$HERE/answer.py" "$SOCKET" 20
	keys 2
	eventually shows '1!hung'
	eventually shows 's ago'
	keys 3
	eventually shows COMMAND
	keys q
	eventually shows 'code 0'
}

@test "a device that disappears and returns" {
	needs_fuse
	start -b n150,p150a --fault gone:1@1000-2000
	watch 100x30 -r 100
	eventually shows 'Blackhole p150a'
	next_fault
	eventually shows 'device lost, values of'
	next_fault
	eventually not shows 'device lost'
	eventually shows 'Blackhole p150a'
}

@test "a chip with hung firmware has old readings, which are marked" {
	start -b n150,p150a -w dev=1,dram=1G,name=on-it --fault frozen:1@1000
	watch 100x30 -r 100
	eventually shows '1● Blackhole p150a'
	next_fault
	eventually shows 'firmware not alive, values of [1-9][0-9]*s ago'
	eventually shows '1! Blackhole p150a'
	eventually shows '1 in trouble: 1'
	# Memory comes from other sources, and is current.
	eventually shows ' 1.0GB/31.9GB'
	keys 2
	eventually shows '1!stuck'
	keys 4
	eventually shows '1! DRAM .* 1.0GB/31.9GB'
	keys q
	eventually shows 'code 0'
}

@test "a card that is removed and returns" {
	machine -b n150,p150a -w dev=1,dram=1G,name=on-it
	watch 100x30 -r 100
	eventually shows 'Blackhole p150a'
	local card
	card=$(readlink "$(class 1)")
	rm "$(class 1)"
	eventually shows 'device lost, values of [0-9]*s ago'
	eventually shows '1 in trouble: 1'
	keys 2
	eventually shows '1!lost'
	keys 5 Right
	eventually shows 'device lost'
	keys 1
	ln -s "$card" "$(class 1)"
	eventually not shows 'device lost'
	eventually shows '1● Blackhole p150a'
}

@test "a file that blocks for ever delays nothing" {
	machine -b n150,p150a,n150
	rm "$(class 1)/tt_aiclk"
	mkfifo "$(class 1)/tt_aiclk"
	sleep 600 <>"$(class 1)/tt_aiclk" 3>&- &
	STARTED=$!
	watch 100x30 -r 100
	eventually shows '103W/150W  N/A'
	python3 "$HERE/answer.py" "$SOCKET" 20
	keys 5 Right
	eventually shows 'Device 1'
	eventually ends_with shows 'PROCESSES'
	keys q
	eventually shows 'code 0'
}

@test "the allocation server is killed and restarted" {
	local server=${TT_ALLOCD:-$(dirname "$TT_SMI")/tt_allocd} pid
	[ -x "$server" ] || skip "no allocation server was built"
	export TT_ALLOCD_SOCKET=$WORK/allocd.sock
	start -b n150 -w dev=0,dram=1G,via=table,name=reports
	serve() {
		"$server" >/dev/null 2>&1 3>&- &
		pid=$!
		STARTED="$STARTED $pid"
	}
	serve
	watch 120x30 -r 100
	eventually shows 'server running'
	eventually shows 'reports'
	kill -STOP "$pid"
	eventually shows 'server does not answer'
	# After a while, samples come as often as before.
	python3 "$HERE/answer.py" "$SOCKET" 6
	not shows 'NO SAMPLE'
	kill -9 "$pid"
	eventually not shows 'server running'
	eventually shows 'reports'
	python3 "$HERE/answer.py" "$SOCKET" 6
	serve
	eventually shows 'server running'
	keys q
	eventually shows 'code 0'
}

@test "a thousand processes" {
	machine -b n150 -w dev=0,dram=1G,name=worker
	python3 "$HERE/crowd.py" "$D" 1000
	watch 120x40 --view processes -r 200
	eventually shows 'Processes  1000, 1-3[0-9] shown'
	keys N End
	eventually shows '^▶ *2000 .*worker-2000 *$'
	eventually shows '9[0-9][0-9]-1000 shown'
	keys '\'
	keys -l 'pid>=1998'
	keys Enter
	eventually shows 'Processes  3 .*only pid>=1998 (+997)'
	keys Escape t T I /
	keys -l worker-1777
	eventually shows '^▶.*worker-1777'
	keys Enter 2
	eventually shows '[0-9]-[0-9]* shown  by TIME'
	if [ -z "${TT_SANITIZE:-}" ]; then
		local kb
		kb=$(awk '/^VmRSS/ { print $2 }' "/proc/$(program)/status")
		echo "resident: $kb KB"
		[ "$kb" -lt 8000 ]
	fi
	keys q
	eventually shows 'code 0'
}

# The terminal description with all colours is compiled here, since it may not be installed.
@test "8, 256, all colours, or none" {
	machine -b n150 -w dev=0,dram=11G,name=full
	infocmp -x xterm-256color |
		sed -e 's/^xterm-256color.*/xterm-direct|all colours,\n\tRGB,/' -e 's/colors#[^,]*/colors#0x1000000/' \
			-e 's/setaf=.*m,/setaf=\\E[38:2::%p1%{65536}%\/%d:%p1%{256}%\/%{255}%\&%d:%p1%{255}%\&%dm,/' \
			-e 's/setab=.*m,/setab=\\E[48:2::%p1%{65536}%\/%d:%p1%{256}%\/%{255}%\&%d:%p1%{255}%\&%dm,/' >"$WORK/direct.ti"
	TERMINFO=$WORK/terminfo tic -x -o "$WORK/terminfo" "$WORK/direct.ti"
	TERMINFO=$WORK/terminfo python3 "$HERE/colors.py" "$TT_SMI" "$D"
}

@test "a killed workload disappears from the list" {
	start -b n150 -w dev=0,dram=1G,name=stays -w dev=0,dram=2G,name=goes --fault kill:1@1000
	watch 100x30 --view processes -r 100
	eventually shows goes
	next_fault
	eventually not shows goes
	eventually shows stays
	keys 4
	eventually shows 'goes  *2.00GB  *0B  *Stale (gone), not counted'
}

@test "a name cannot start a line, and its width is counted" {
	machine -b n150 -w $'dev=0,dram=1G,name=a\nFORGED' -w $'dev=0,dram=2G,name=\346\274\242\345\255\227'
	watch 100x30 --view device
	eventually shows '^IDENTITY'
	# A second sample may make the page longer: scroll to its end again.
	eventually ends_with shows '1002    漢字                 2.0GB'
	eventually ends_with shows '1001    a.FORGED             1.0GB'
	keys 3 Down Enter
	eventually shows 'Name  *a.FORGED'
	not shows '^│ FORGED'
}

@test "a card that the driver does not serve is in every view, but not in sums" {
	machine -b n150,p150a,p100a --fault unbound:1 --fault vfio:2 --no-workloads
	watch 100x40 -r 100
	eventually shows '0000:02:00.0'
	eventually shows 'no driver'
	eventually shows 'bound to vfio-pci'
	eventually shows '1 device  '
	eventually shows 'DRAM 0B/12.0GB'
	keys 2
	eventually shows 'unbound'
	eventually shows '02:00.0'
	keys 4
	eventually shows '0000:03:00.0 bound to vfio-pci'
	keys q
	eventually shows 'code 0'
	close_terminal
	watch 44x16
	eventually shows '0000:02:00.0'
	keys q
	eventually shows 'code 0'
}

@test "a machine without devices or without the driver: shows the error and waits" {
	mkdir -p "$D/sys/class"
	watch 80x24 -r 100
	eventually shows 'driver is not loaded'
	mkdir "$D/sys/class/tenstorrent"
	eventually shows 'no Tenstorrent device present'
	keys h
	eventually shows 'overview: devices'
	keys q q
	eventually shows 'code 6'
	eventually shows '^tt_smi: no Tenstorrent device present'
}

@test "a terminal that is not in the database" {
	machine -b n150
	terminal 80x24 TERM=of-tomorrow "$TT_SMI" --root "$D" -w
	eventually shows 'Overview'
	keys q
	eventually shows 'code 0'
}

@test "no terminal database: the table, in place" {
	needs_mounts
	machine -b n150
	cat >"$WORK/bare" <<-E
		for d in /lib/terminfo /etc/terminfo /usr/share/terminfo; do
			[ ! -d \$d ] || mount -t tmpfs none \$d
		done
		exec "$TT_SMI" --root "$D" -w -r 100 -n 20
	E
	declare -f private >>"$WORK/env"
	terminal 80x24 bash -c "'. $WORK/env; private sh $WORK/bare'"
	eventually shows 'GPU Name'
	eventually shows 'code 0'
}
