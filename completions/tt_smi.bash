# bash completion for tt_smi, tt_allocd and their other names
#
# Options, their arguments and the commands are read from the help of the programs, which is made
# from their tables of options. What can follow is found by one function, _tt_smi_candidates; zsh and
# fish run this file as a program for the same answer: tt_smi.bash WORD...

# The settings of -w with their values; a test compares them with the manual page.
_tt_smi_settings() {
	cat <<-'EOF'
		view overview grid processes memory device
		theme default colorblind light mono
		refresh
		units binary iec decimal
		sort pid user dev dram peak l1 growth compute cpu host time state owner status command
		tree yes no
		columns pid user dev dram peak l1 growth compute cpu host time state owner status command
		chart dram power temperature aiclk pcie_in pcie_out l1 compute
		charts readings devices
		signs braille blocks ascii
		span 60 300 600 1800 3600
		mouse yes no
	EOF
}

# The faults of the simulated machine; a test compares them with the manual page.
_tt_smi_faults() {
	echo dead reset gone unbound vfio no-telemetry frozen missing denied eio slow hang set errors bars log kill
}

# _tt_smi_options COMMAND...: a line per option of its help: names, argument ("-": none) and text
# between tabs.
_tt_smi_options() {
	"$@" --help 2>/dev/null </dev/null | awk '
		function flush() {
			if (names != "")
				printf "%s\t%s\t%s\n", names, argument == "" ? "-" : argument, text
			names = ""
		}
		/^(  |      )-[^ ]/ {
			flush()
			line = $0
			sub(/^ +/, "", line)
			gap = index(line, "  ")
			text = gap ? substr(line, gap) : ""
			sub(/^ +/, "", text)
			argument = ""
			count = split(gap ? substr(line, 1, gap - 1) : line, part, " ")
			for (i = 1; i <= count; i++) {
				name = part[i]
				if (name !~ /^-/) {
					argument = argument name
					continue
				}
				sub(/,$/, "", name)
				at = index(name, "[")
				if (at) {
					argument = substr(name, at)
					name = substr(name, 1, at - 1)
				}
				names = names (names == "" ? "" : " ") name
			}
			next
		}
		/^          +[^ ]/ && names != "" {
			sub(/^ +/, "")
			text = text (text == "" ? "" : " ") $0
			next
		}
		{ flush() }
		END { flush() }'
}

_tt_smi_commands() {
	"$1" --help 2>/dev/null </dev/null | sed -n '/^Commands/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
}

# _tt_smi_find OPTION TABLE: the line of an option.
_tt_smi_find() {
	awk -F '\t' -v option="$1" '{
		count = split($1, name, " ")
		for (i = 1; i <= count; i++)
			if (name[i] == option) {
				print
				exit
			}
	}' <<<"$2"
}

# _tt_smi_put BEFORE CURRENT WORD...: those that begin as the word to complete, with what is before it.
_tt_smi_put() {
	local before=$1 current=$2 word
	shift 2
	for word in "$@"; do
		[[ $word != "$current"* ]] || printf '%s%s\n' "$before" "$word"
	done
}

# The same for the last part of a list.
_tt_smi_put_list() {
	local before=$1 current=$2
	shift 2
	echo :nospace
	[[ $current != *,* ]] || before=$before${current%,*},
	_tt_smi_put "$before" "${current##*,}" "$@"
}

# _tt_smi_query PROGRAM FIELD: a field of each device.
_tt_smi_query() {
	local program=tt_smi
	[[ $1 != */* ]] || program=${1%/*}/tt_smi
	"$program" "--query-gpu=$2" --format=csv,noheader 2>/dev/null </dev/null | grep -vF '[N/A]' | sort -u
}

_tt_smi_put_setting() {
	local before=$1 current=$2 name values
	while read -r name values; do
		if [[ $current != *=* ]]; then
			[[ $name != "$current"* ]] || printf '%s%s=\n' "$before" "$name"
		elif [[ $name == "${current%%=*}" && $name == columns ]]; then
			# shellcheck disable=SC2086 # words
			_tt_smi_put_list "$before$name=" "${current#*=}" $values
		elif [[ $name == "${current%%=*}" ]]; then
			# shellcheck disable=SC2086 # words
			_tt_smi_put "$before$name=" "${current#*=}" $values
		fi
	done < <(_tt_smi_settings)
	[[ $current == *=* ]] || echo :nospace
}

# _tt_smi_listed TEXT: the values that the help of an option ends with: "colours of -w: default or mono".
_tt_smi_listed() {
	sed 's/.*: //; s/,/ /g; s/ or / /' <<<"$1"
}

# _tt_smi_values LINE BEFORE CURRENT PROGRAM: values of the option of that line.
_tt_smi_values() {
	local names argument text word before=$2 current=$3 program=$4
	IFS=$'\t' read -r names argument text <<<"$1"
	# shellcheck disable=SC2046,SC2086 # words
	case $argument in
	DEVICE*) _tt_smi_put_list "$before" "$current" all $(_tt_smi_query "$program" index) $(_tt_smi_query "$program" pci.bus_id) ;;
	FIELD,...)
		names=${names##* --}
		_tt_smi_put_list "$before" "$current" \
			$("$program" "--help-${names#--}" 2>/dev/null | sed -n '/^"/{s/" or "/ /g;s/"//g;p;}') ;;
	SECTION,...) _tt_smi_put_list "$before" "$current" $(_tt_smi_listed "$text") ;;
	*csv*) _tt_smi_put_list "$before" "$current" csv noheader nounits ;;
	BOARD) _tt_smi_put "$before" "$current" $(_tt_smi_query "$program" board) ;;
	LIST) _tt_smi_put_list "$before" "$current" n150 n300 p100a p150a p150b p150c p300 p300b p300c \
		galaxy-wormhole galaxy-blackhole ;;
	VIEW | THEME) _tt_smi_put "$before" "$current" $(_tt_smi_listed "$text") ;;
	NAME=VALUE) _tt_smi_put_setting "$before" "$current" ;;
	AREAS)
		_tt_smi_put_list "$before" "$current" $("$program" doctor --help 2>/dev/null |
			sed -n '/^Health areas:/,/^$/{s/.*areas://;s/,/ /g;p;}') ;;
	NAME=NUMBER)
		echo :nospace
		_tt_smi_put "$before" "$current" \
			$("$program" check --help 2>/dev/null | sed -n '/^Limits/,/^$/s/^  \([a-z]*\) .*/\1=/p') ;;
	SPEC)
		[[ $names == *--fault* && $current != *:* ]] || return 0
		echo :nospace
		_tt_smi_put "$before" "$current" $(_tt_smi_faults | sed 's/[^ ]*/&:/g') ;;
	GROUPS)
		echo :nospace
		for word in $(grep -oE '[:,] [a-z] ' <<<"$text" | tr -d ':,'); do
			[[ $current == *"$word"* ]] || echo "$before$current$word"
		done ;;
	GROUP)
		text=${text##*: }
		_tt_smi_put "$before" "$current" $(grep -oE '[a-z]+' <<<"${text/ or / }") ;;
	DIR) echo :directories ;;
	FILE | PATH*) echo :files ;;
	*'|'*) argument=${argument//[\[\]=]/}; _tt_smi_put "$before" "$current" ${argument//|/ } ;;
	esac
}

# _tt_smi_put_options TABLE CURRENT
_tt_smi_put_options() {
	local names argument text name
	while IFS=$'\t' read -r names argument text; do
		for name in $names; do
			[[ $name != "$2"* ]] || printf '%s\t%s\n' "$name" "${text%%[.;:]*}"
		done
	done <<<"$1"
}

# _tt_smi_candidates PROGRAM WORD...: what can stand in place of the last word, a line each, with a
# text after a tab. A line that begins with a colon is an instruction: ":files", ":directories",
# ":nospace", or ":command N" if the Nth word begins another command line.
_tt_smi_candidates() {
	local program=$1 current=${*: -1} command='' line='' word='' argument table commands='' i skip=0
	local -a words=("$@") run=("$1")

	[[ ${program##*/} != tt_smi ]] || commands=$(_tt_smi_commands "$program")
	table=$(_tt_smi_options "$program")
	for ((i = 1; i < ${#words[@]} - 1; i++)); do
		word=${words[i]}
		if ((skip)); then
			skip=0
		elif [[ $word == -- && $command == @(run|sim) ]] || [[ $word != -* && $command == run ]]; then
			[[ $word != -- ]] || ((i++))
			echo ":command $i"
			return
		elif [[ $word == -* ]]; then
			line=$(_tt_smi_find "$word" "$table")
			IFS=$'\t' read -r _ argument _ <<<"$line"
			[[ -z $argument || $argument == [-[]* ]] || skip=1
		elif [[ -n $commands && -z $command ]] && grep -q "^$word"$'\t' <<<"$commands"; then
			command=$word
			run=("$program" "$word")
			[[ $word == help ]] || table=$(_tt_smi_options "${run[@]}")
		fi
	done
	if ((skip)); then
		_tt_smi_values "$line" "" "$current" "$program"
	elif [[ $current == --*=* ]]; then
		line=$(_tt_smi_find "${current%%=*}" "$table")
		_tt_smi_values "$line" "${current%%=*}=" "${current#*=}" "$program"
	elif [[ $current == -* ]]; then
		_tt_smi_put_options "$table" "$current"
	elif [[ $command == help || ( -n $commands && -z $command ) ]]; then
		grep "^$current" <<<"$commands"
	elif [[ $command == trace && $word == trace ]]; then
		_tt_smi_put "" "$current" start stop status
	elif [[ $command == fleet && $word == fleet ]]; then
		_tt_smi_put "" "$current" who
	elif [[ $command == run ]]; then
		echo ":command $i"
	elif [[ $command == sim ]]; then
		echo :directories
	elif [[ $command == trace ]]; then
		echo :files
	else
		_tt_smi_put_options "$table" "$current"
	fi
}

# bash takes "=" and ":" for ends of words: COMPREPLY has what follows the last of them.
_tt_smi() {
	local -a words
	local candidate whole rest
	read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
	[[ ${COMP_LINE:0:COMP_POINT} != *[[:space:]] ]] || words+=('')
	whole=${words[-1]}
	rest=${whole##*[=:]}
	COMPREPLY=()
	while IFS=$'\t' read -r candidate _; do
		case $candidate in
		:files) mapfile -t COMPREPLY < <(compgen -f -- "$rest"); compopt -o filenames 2>/dev/null ;;
		:directories) mapfile -t COMPREPLY < <(compgen -d -- "$rest"); compopt -o filenames 2>/dev/null ;;
		:nospace) compopt -o nospace 2>/dev/null ;;
		:command*)
			if declare -F _command_offset >/dev/null && ((${candidate#* } < ${#words[@]} - 1)); then
				_command_offset "${candidate#* }"
			else
				mapfile -t COMPREPLY < <(compgen -c -f -- "$rest")
			fi ;;
		*) COMPREPLY+=("${candidate#"${whole%"$rest"}"}") ;;
		esac
	done < <(_tt_smi_candidates "${words[@]}")
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
	_tt_smi_candidates "$@"
else
	complete -F _tt_smi tt_smi allocation_monitor_client tt_allocd allocation_server_poc
fi
