import { groupedVariables, type ListedVariable } from '@trellis/server/setting-table.ts';
import { type Command, type Help, Option } from 'commander';
import type { Run } from '../command-context.ts';

interface ServeOptions {
  readonly port?: string;
  readonly data?: string;
  readonly sample?: string;
  readonly config?: string;
}

/** Options that stand for a variable. Secrets have none, since others can see arguments. */
const FLAGS = [
  { option: 'port', flag: '--port', variable: 'MSK_PORT' },
  { option: 'data', flag: '--data', variable: 'MSK_GRAPH_STORAGE' },
  { option: 'sample', flag: '--sample', variable: 'TRELLIS_SAMPLE' },
] as const;

export function addServe(program: Command, run: Run): void {
  program
    .command('serve')
    .summary('run the server')
    .description(
      'Runs the server in this process until SIGTERM or Ctrl-C. An option goes before a ' +
        'variable, and a variable before the file of --config; all faults in them are reported ' +
        'together, with exit code 78. When it is ready, it prints one line of JSON with ' +
        '"event":"ready".',
    )
    .option('--port <port>', 'port of the HTTP listener, 0 for any free one (MSK_PORT)')
    .option('--data <folder>', 'folder of the whole database (MSK_GRAPH_STORAGE)')
    .addOption(
      new Option(
        '--sample <name>',
        'sample graph that fills an empty store (TRELLIS_SAMPLE)',
      ).choices(['wordnet', 'none']),
    )
    .option('--config <file>', 'read variables from a file: one NAME=value on each line')
    .addHelpText(
      'after',
      ({ command }) => `
Examples:
  $ trellis serve
  $ trellis serve --port 9000 --data /var/lib/trellis --sample none
  $ trellis serve --config /etc/trellis.env
  $ MSK_PUBLIC_ADDRESS=https://graph.example.org trellis serve
${variablesText(helpOf(command))}`,
    )
    .action(
      run(async ({ terminal }, options: ServeOptions) => {
        const flags = FLAGS.flatMap(({ option, flag, variable }) => {
          const value = options[option];
          return value === undefined ? [] : [{ flag, variable, value }];
        });
        // Only here: no other command should have to load the server.
        const { serve } = await import('@trellis/server/serve.ts');
        return serve({ ...terminal.env }, { flags, file: options.config }, terminal.signal);
      }),
    );
}

const INDENT = '      ';

/** As wide as the terminal. */
function helpOf(command: Command): Help {
  const help = command.createHelp();
  const helpWidth = command.configureOutput().getOutHelpWidth?.();
  help.prepareContext(helpWidth === undefined ? {} : { helpWidth });
  return help;
}

function variablesText(help: Help): string {
  const groups = [...groupedVariables()].map(([title, rows]) =>
    [`\nVariables: ${title}`, ...rows.map((row) => variableText(row, help))].join('\n'),
  );
  return groups.join('\n');
}

function variableText(row: ListedVariable, help: Help): string {
  const facts = [
    ...(row.default === null ? [] : [`default ${row.default}`]),
    ...(row.isSecret ? ['secret'] : []),
  ];
  const title = facts.length === 0 ? row.name : `${row.name} (${facts.join(', ')})`;
  const meaning = help.boxWrap(row.description, (help.helpWidth ?? 100) - INDENT.length);
  return [`  ${title}`, ...meaning.split('\n').map((line) => `${INDENT}${line}`)].join('\n');
}
