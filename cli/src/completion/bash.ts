import type { Completed, CompletedCommand } from './command-tree.ts';

/** The script that `source <(trellis completion bash)` reads. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  return `# bash completion of trellis: source <(trellis completion bash)

# Sets what its caller asks of the command that these words name.
_trellis_at() {
  case "$1" in
${commands.map(commandCase).join('\n')}
  esac
}

# Sets what may follow an option: words, or files.
_trellis_value() {
  files='' words=''
  case "$1 $2" in
${commands.flatMap(valueCases).join('\n')}
  esac
}

_trellis() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
  local path='' commands flags valued files words word i
  COMPREPLY=()
  _trellis_at ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ " $valued " == *" $word "* ]]; then
      ((i++))
    elif [[ $word != -* && " $commands " == *" $word "* ]]; then
      path="\${path:+$path }$word"
      _trellis_at "$path"
    fi
  done
  if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  if [[ " $valued " == *" $prev "* ]]; then
    _trellis_value "$path" "$prev"
  elif [[ $cur == -* ]]; then
    files='' words=$flags
  elif [[ -n $commands ]]; then
    files='' words=$commands
  fi
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  fi
}
complete -F _trellis trellis
`;
}

function commandCase({ path, commands, flags, argument }: CompletedCommand): string {
  const names = commands.map(({ name }) => name);
  const valued = flags.filter(({ value }) => value !== undefined).map(({ name }) => name);
  return [
    `    '${path.join(' ')}')`,
    `      commands='${names.join(' ')}'`,
    `      flags='${flags.map(({ name }) => name).join(' ')}'`,
    `      valued='${valued.join(' ')}'`,
    `      ${assignment(argument)} ;;`,
  ].join('\n');
}

function valueCases({ path, flags }: CompletedCommand): string[] {
  return flags.flatMap(({ name, value }) =>
    value === undefined || value === 'text'
      ? []
      : [`    '${path.join(' ')} ${name}') ${assignment(value)} ;;`],
  );
}

function assignment(value: Completed): string {
  if (value === 'file') return `files=1 words=''`;
  return `files='' words='${value === 'text' ? '' : value.join(' ')}'`;
}
