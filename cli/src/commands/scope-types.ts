import { pause } from '@trellis/client/transport.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { WrongUsage } from '../failure.ts';
import { endpointsCompilerOptions } from '../project-template.ts';
import { writeIfChanged } from '../write-if-changed.ts';

interface TypesOptions {
  readonly out?: string;
  readonly program?: string;
  readonly readOnly?: boolean;
  readonly watch?: boolean;
  readonly interval: string;
}

const INTERVAL_DEFAULT_MS = '2000';

export function addTypes(program: Command, run: Run): void {
  program
    .command('types')
    .summary('write the types that endpoints, or programs, are checked against')
    .description(
      'Writes the TypeScript declarations that the server checks the code of endpoints ' +
        'against: the scope, and the node and edge types of its schema. Put the file beside your ' +
        'endpoints, so that your editor checks them as the server does. With --program it writes ' +
        'a module for programs with the SDK: node types, and what each endpoint takes and answers.',
    )
    .option(
      '--out <file>',
      'write to a file instead of stdout; a file with the same content is left alone',
    )
    .option(
      '--program <file>',
      'write the module that programs are compiled with, so that their calls are checked',
    )
    .option('--read-only', 'the scope of read-only endpoints, which cannot write')
    .option('--watch', 'keep running, and write again when the schema or an endpoint changes')
    .option('--interval <ms>', 'how often to ask the server', INTERVAL_DEFAULT_MS)
    .addHelpText(
      'after',
      `
The declarations are global. "trellis init" makes a folder for endpoints and their tests, with this tsconfig.json:

${endpointsCompilerOptions()}

Examples:
  $ trellis types --out endpoints/trellis.d.ts
  $ trellis types --out endpoints/trellis.d.ts --watch
  $ trellis types --program src/workspace.ts`,
    )
    .action(run(writeTypes));
}

async function writeTypes(context: CommandContext, options: TypesOptions): Promise<void> {
  const { client, output, terminal } = context;
  const { signal } = terminal;
  const { out, program, watch = false } = options;
  const intervalMs = Number(options.interval);
  if (!(intervalMs >= 1)) throw new WrongUsage('--interval is a number of milliseconds');
  const scope = options.readOnly === true ? 'read-only' : 'full';
  const scopeTypes = () => client.build.getTypes({ scope }, { signal });
  if (out === undefined && program === undefined) {
    if (watch) throw new WrongUsage('--watch needs --out or --program');
    const types = await scopeTypes();
    output.data({ scope, types }, types);
    return;
  }
  const write = (file: string, text: string): WrittenFile => {
    const isWritten = writeIfChanged(file, text);
    if (isWritten) output.note(`Wrote ${file}.`);
    else if (!watch) output.note(`${file} is up to date.`);
    return { file, isWritten };
  };
  for (;;) {
    const ofScope = out === undefined ? undefined : write(out, await scopeTypes());
    const ofProgram =
      program === undefined
        ? undefined
        : write(program, await client.build.getProgramTypes({ signal }));
    if (!watch) {
      output.data(
        { ...(ofScope && { scope, ...ofScope }), ...(ofProgram && { program: ofProgram }) },
        '',
      );
      return;
    }
    await pause(intervalMs, signal);
  }
}

interface WrittenFile {
  readonly file: string;
  /** False when it had this content. */
  readonly isWritten: boolean;
}
