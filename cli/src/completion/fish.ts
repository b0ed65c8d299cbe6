import type { CompletedCommand } from './command-tree.ts';

/** The script that `trellis completion fish | source` reads. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  return `# fish completion of trellis: trellis completion fish | source

function __trellis_commands
  switch "$argv[1]"
${commands.flatMap(commandsCase).join('\n')}
  end
end

function __trellis_valued
  switch "$argv[1]"
${commands.map(valuedCase).join('\n')}
  end
end

# Whether the words before the cursor name this command.
function __trellis_at
  set -l path ''
  set -l skip 0
  for word in (commandline -opc)[2..]
    if test $skip = 1
      set skip 0
    else if contains -- $word (__trellis_valued "$path")
      set skip 1
    else if contains -- $word (__trellis_commands "$path")
      set path (string trim -- "$path $word")
    end
  end
  test "$path" = "$argv[1]"
end

complete -c trellis -e
complete -c trellis -f
${commands.flatMap(completions).join('\n')}
`;
}

function commandsCase({ path, commands }: CompletedCommand): string[] {
  if (commands.length === 0) return [];
  const names = commands.map(({ name }) => name);
  return [`    case '${path.join(' ')}'\n      string split ' ' '${names.join(' ')}'`];
}

function valuedCase({ path, flags }: CompletedCommand): string {
  const names = flags.filter(({ value }) => value !== undefined).map(({ name }) => name);
  return `    case '${path.join(' ')}'\n      string split ' ' -- '${names.join(' ')}'`;
}

function completions({ path, commands, flags, argument }: CompletedCommand): string[] {
  const at = `complete -c trellis -n "__trellis_at '${path.join(' ')}'"`;
  const subcommands = commands.map(
    ({ name, description }) => `${at} -a '${name}' -d ${quoted(description)}`,
  );
  const options = flags.map(({ name, description, value }) => {
    const words = typeof value === 'object' ? ` -a '${value.join(' ')}'` : '';
    const takes = value === undefined ? '' : value === 'file' ? ' -r -F' : ` -x${words}`;
    return `${at} -l '${name.replace(/^--/, '')}' -d ${quoted(description)}${takes}`;
  });
  const words = typeof argument === 'object' ? [`${at} -a '${argument.join(' ')}'`] : [];
  const files = argument === 'file' && commands.length === 0 ? [`${at} -F`] : [];
  return [...subcommands, ...options, ...words, ...files];
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
