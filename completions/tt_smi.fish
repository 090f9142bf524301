# fish completion for tt_smi, tt_allocd and their other names
#
# The candidates are those of bash: its file is beside this one in the source, and in bash's own
# directory when installed.

set -g __tt_smi_bash (status dirname)/tt_smi.bash
test -r $__tt_smi_bash
or set -g __tt_smi_bash (status dirname)/../../bash-completion/completions/tt_smi

function __tt_smi_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (bash $__tt_smi_bash $words "$current" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path "$current"
            case ':directories'
                __fish_complete_directories "$current" ''
            case ':nospace'
                true
            case ':command *'
                set -l rest $words $current
                set -l from (math 1 + (string split ' ' -- $line)[2])
                complete -C (string join ' ' -- $rest[$from..-1])
            case '*'
                echo $line
        end
    end
end

for program in tt_smi allocation_monitor_client tt_allocd allocation_server_poc
    complete -c $program -f -a '(__tt_smi_candidates)'
end
