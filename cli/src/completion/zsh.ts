import type { Completed, CompletedCommand } from './command-tree.ts';

/** The script that `source <(trellis completion zsh)` reads, or that is a file on zsh's `fpath`. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef trellis
# zsh completion of trellis: source <(trellis completion zsh), after compinit

# Sets what its caller asks of the command that these words name.
_trellis_at() {
  case "$1" in
${commands.map(commandCase).join('\n')}
  esac
}

# Completes what follows an option.
_trellis_value() {
  case "$1 $2" in
${commands.flatMap(valueCases).join('\n')}
    (*) _message 'a value' ;;
  esac
}

_trellis() {
  local at='' word argument
  local -i i
  local -a subcommands flags valued names
  _trellis_at ''
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    names=("\${(@)subcommands%%:*}")
    if (( \${valued[(Ie)$word]} )); then
      ((i++))
    elif (( \${names[(Ie)$word]} )); then
      at="\${at:+$at }$word"
      _trellis_at "$at"
    fi
  done
  if (( \${valued[(Ie)\${words[CURRENT - 1]}]} )); then
    _trellis_value "$at" "\${words[CURRENT - 1]}"
  elif [[ \${words[CURRENT]} == -* ]]; then
    _describe -o 'option' flags
  elif (( \${#subcommands} )); then
    _describe 'command' subcommands
  else
    eval "$argument"
  fi
}

if [[ \${funcstack[1]} == _trellis ]]; then
  _trellis "$@"
else
  compdef _trellis trellis
fi
`;
}

function commandCase({ path, commands, flags, argument }: CompletedCommand): string {
  const valued = flags.filter(({ value }) => value !== undefined).map(({ name }) => name);
  return [
    `    ('${path.join(' ')}')`,
    `      subcommands=(${commands.map(described).join(' ')})`,
    `      flags=(${flags.map(described).join(' ')})`,
    `      valued=(${valued.join(' ')})`,
    `      argument=${quoted(action(argument))} ;;`,
  ].join('\n');
}

function valueCases({ path, flags }: CompletedCommand): string[] {
  return flags.flatMap(({ name, value }) =>
    value === undefined || value === 'text'
      ? []
      : [`    ('${path.join(' ')} ${name}') ${action(value)} ;;`],
  );
}

function action(value: Completed): string {
  if (value === 'file') return '_files';
  return value === 'text' ? `_message 'a value'` : `compadd -- ${value.join(' ')}`;
}

function described({ name, description }: { name: string; description: string }): string {
  return quoted(`${name}:${description.replaceAll(':', '\\:')}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
