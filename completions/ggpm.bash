# Completion of ggpm for bash. What there is comes from the command itself, so it stays true.

_ggpm_options() {
  ggpm "$@" --help 2>/dev/null | grep -oE '^  +(-[a-zA-Z],)?--?[a-z][a-z-]*' | tr -d ' ' | tr ',' '\n'
}

# The values that help lists for an option: "--missing error|drop".
_ggpm_choices() {
  ggpm "$1" --help 2>/dev/null | grep -oE "^ +$2 [^ ]*\\|[^ ]*" | sed 's/.* //' | tr '|' '\n'
}

_ggpm() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  local words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    words="$(ggpm --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p') --help --version"
  else
    case $before in
      --likelihood) words="auto $(ggpm likelihoods 2>/dev/null | grep -oE '^[a-z][a-z-]*$')
        $(ggpm likelihoods 2>/dev/null | sed -n 's/.*with its link: \(.*\)\./\1/p' | tr -d ',')" ;;
      --link) words="$(ggpm likelihoods 2>/dev/null | sed -n 's/^  links  *//p' | tr -d ',' | tr ' ' '\n' | sort -u)" ;;
      --kernel) words="$(ggpm kernels 2>/dev/null | sed -n 's/^\([a-z0-9]*\)(.*)  .*/\1/p')" ;;
      --inferences) words="auto $(ggpm inferences 2>/dev/null | cut -d ' ' -f 1)" ;;
      --figure) words="fit.svg latent.svg observed.svg pit.svg coverage.svg density.svg marginal.svg" ;;
      --target | --trials | --exposure | --offset) words="$(_ggpm_columns)" ;;
      -[a-z-]*) words="$(_ggpm_choices "$command" "$before")" ;;&
      *) [[ $word == -* ]] && words="$(_ggpm_options "$command")" ;;
    esac
  fi
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}

# Names of the columns of the first table on the line.
_ggpm_columns() {
  local file
  for file in "${COMP_WORDS[@]:2}"; do
    if [[ -f $file && ($file == *.csv || $file == *.tsv) ]]; then
      head -n 1 -- "$file" | tr -d '"\r' | tr ',;\t' '\n'
      return
    fi
  done
}

complete -F _ggpm ggpm
