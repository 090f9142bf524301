# bash completion for tt_smi

# The last part of a comma-separated word, with what stands before it kept.
_tt_smi_list() {
	local before=
	[[ $cur == *,* ]] && before=${cur%,*},
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${cur##*,}")
	compopt -o nospace 2>/dev/null
}

_tt_smi_words() {
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

# The names that --help-query-… lists, aliases too.
_tt_smi_fields() {
	"${COMP_WORDS[0]}" "$1" 2>/dev/null | sed -n '/^"/{s/" or "/ /g;s/"//g;p;}'
}

_tt_smi_devices() {
	"${COMP_WORDS[0]}" --query-gpu=index,pci.bus_id --format=csv,noheader 2>/dev/null |
		tr -d ',' | sed 's/\[N\/A\]//'
}

# tt_smi mem, also called allocation_monitor_client.
_tt_smi_mem() {
	case $option in
	-d | --device)
		_tt_smi_words "$(COMP_WORDS=(tt_smi) _tt_smi_devices) all" ;;
	--color)
		_tt_smi_words "auto always never" ;;
	--root)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	-r | --refresh | -n | --count | --set) ;;
	*)
		_tt_smi_words "-d --device -a --all -r --refresh -n --count --once --json --dump
			--plain --read-only --root --color --ascii -h --help" ;;
	esac
}

_tt_smi_trace() {
	case ${COMP_WORDS[2]}:$option in
	*:--max-buffers) ;;
	start:*)
		if [[ $COMP_CWORD -gt 2 && $cur != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		else
			_tt_smi_words "--watch --max-buffers -v --verbose"
		fi ;;
	stop:* | status:*) ;;
	*)
		_tt_smi_words "start stop status -h --help -V --version" ;;
	esac
}

# tt_smi run: options, then a command and what that has.
_tt_smi_run() {
	local i=2

	while [[ $i -lt $COMP_CWORD && ${COMP_WORDS[i]} == -* ]]; do
		((i++))
	done
	if [[ $i -lt $COMP_CWORD ]] && declare -F _command_offset >/dev/null; then
		_command_offset "$i"
	elif [[ $cur == -* ]]; then
		_tt_smi_words "--no-children -q --quiet -h --help"
	else
		mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
	fi
}

_tt_smi_doctor() {
	case $option in
	--color)
		_tt_smi_words "auto always never" ;;
	--root)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	*)
		_tt_smi_words "--json --root --color --ascii -h --help" ;;
	esac
}

# tt_smi sim: options, then "--" and a command.
_tt_smi_sim() {
	local i

	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			if declare -F _command_offset >/dev/null; then
				_command_offset $((i + 1))
			else
				mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
			fi
			return
		fi
	done
	case $option in
	-b | --boards)
		_tt_smi_list "n150 n300 p100a p150a p300c galaxy-wormhole galaxy-blackhole" ;;
	--driver | --firmware | --load | -w | --workload | --fault | --time | --after | --seed | --interval) ;;
	*)
		if [[ $cur == -* ]]; then
			_tt_smi_words "-b --boards --driver --firmware --load -w --workload --no-workloads --fault
				--static --time --after --seed --interval -h --help -V --version --"
		else
			mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		fi ;;
	esac
}

_tt_smi() {
	local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}

	# bash takes "--name=value" for three words.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $option == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	COMPREPLY=()
	if [[ ${COMP_WORDS[0]##*/} == allocation_monitor_client ]] ||
		[[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} == mem ]]; then
		_tt_smi_mem
		return
	fi
	if [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} == run ]]; then
		_tt_smi_run
		return
	fi
	if [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} == doctor ]]; then
		_tt_smi_doctor
		return
	fi
	if [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} == trace ]]; then
		_tt_smi_trace
		return
	fi
	if [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} == sim ]]; then
		_tt_smi_sim
		return
	fi
	if [[ $COMP_CWORD -eq 1 && $cur != -* && -n $cur ]]; then
		_tt_smi_words "show mem run trace doctor sim"
		return
	fi
	case $option in
	--query-gpu | --query-device)
		_tt_smi_list "$(_tt_smi_fields --help-query-gpu)"
		return ;;
	--query-compute-apps | --query-processes)
		_tt_smi_list "$(_tt_smi_fields --help-query-compute-apps)"
		return ;;
	--query-accounted-apps)
		_tt_smi_list "$(_tt_smi_fields --help-query-accounted-apps)"
		return ;;
	--format)
		_tt_smi_list "csv noheader nounits"
		return ;;
	-d | --display)
		_tt_smi_list "IDENTITY PCIE TEMPERATURE POWER CLOCK FIRMWARE HEALTH MEMORY UTILIZATION PIDS"
		return ;;
	-i | --id)
		_tt_smi_list "$(_tt_smi_devices) all"
		return ;;
	--color)
		_tt_smi_words "auto always never"
		return ;;
	--view)
		_tt_smi_words "overview grid processes memory device"
		return ;;
	--theme)
		_tt_smi_words "default colorblind light mono"
		return ;;
	--root)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	-f | --filename)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	-r | --refresh | -n | --count)
		return ;;
	--json)
		if [[ ${COMP_WORDS[COMP_CWORD]} == = || ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
			_tt_smi_words "compact pretty"
			return
		fi ;;
	esac
	_tt_smi_words "-w --watch --plain --read-only --view --theme --set -r --refresh -l --loop -lms --loop-ms -n --count
		-L --list-gpus --list-devices --list -ls -q --query -d --display --json
		--query-gpu --query-device --query-compute-apps --query-processes
		--query-accounted-apps --format
		--help-query-gpu --help-query-device --help-query-compute-apps --help-query-processes
		--help-query-accounted-apps
		-s --snapshot --local -glx_list_tray_to_device --galaxy_6u_list_tray_to_device
		-c --compact --offline --snapshot_no_tty --use_luwen -i --id -f --filename --root --color --ascii -h --help -V --version -v"
}

# The allocation server, also called allocation_server_poc.
_tt_allocd() {
	local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}

	COMPREPLY=()
	case $option in
	--socket | --legacy-socket)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	--root)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	--limit) ;;
	*)
		_tt_smi_words "--socket --legacy-socket --trace -q --quiet -v --verbose --foreground --limit
			--root -h --help -V --version" ;;
	esac
}

complete -F _tt_smi tt_smi allocation_monitor_client
complete -F _tt_allocd tt_allocd allocation_server_poc
