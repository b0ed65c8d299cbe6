import { pause } from '@trellis/client/transport.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { WrongUsage } from '../failure.ts';
import { writeIfChanged } from '../write-if-changed.ts';

interface TypesOptions {
  readonly out?: string;
  readonly readOnly?: boolean;
  readonly watch?: boolean;
  readonly interval: string;
}

const INTERVAL_DEFAULT_MS = '2000';

export function addTypes(program: Command, run: Run): void {
  program
    .command('types')
    .summary('write the types that endpoints are checked against')
    .description(
      'Writes the TypeScript declarations that the server checks the code of endpoints ' +
        'against: the scope, and the node and edge types of its schema. Put the file beside your ' +
        'endpoints, so that your editor checks them as the server does.',
    )
    .option(
      '--out <file>',
      'write to a file instead of stdout; a file with the same content is left alone',
    )
    .option('--read-only', 'the scope of read-only endpoints, which cannot write')
    .option('--watch', 'keep running, and write the file again when the schema changes')
    .option('--interval <ms>', 'how often to ask the server', INTERVAL_DEFAULT_MS)
    .addHelpText(
      'after',
      `
The declarations are global. A tsconfig.json for a folder of endpoints:
  { "compilerOptions": { "strict": true, "noEmit": true, "target": "es2024", "lib": ["es2024"], "types": [],
    "module": "esnext", "moduleDetection": "force", "erasableSyntaxOnly": true, "skipLibCheck": true } }

Examples:
  $ trellis types --out endpoints/trellis.d.ts
  $ trellis types --out endpoints/trellis.d.ts --watch`,
    )
    .action(run(writeTypes));
}

async function writeTypes(context: CommandContext, options: TypesOptions): Promise<void> {
  const { client, output, terminal } = context;
  const { signal } = terminal;
  const { out, watch = false } = options;
  const intervalMs = Number(options.interval);
  if (!(intervalMs >= 1)) throw new WrongUsage('--interval is a number of milliseconds');
  const scope = options.readOnly === true ? 'read-only' : 'full';
  if (out === undefined) {
    if (watch) throw new WrongUsage('--watch needs --out');
    const types = await client.build.getTypes({ scope }, { signal });
    output.data({ scope, types }, types);
    return;
  }
  for (;;) {
    const types = await client.build.getTypes({ scope }, { signal });
    const isWritten = writeIfChanged(out, types);
    if (isWritten) output.note(`Wrote ${out}.`);
    else if (!watch) output.note(`${out} is up to date.`);
    if (!watch) {
      output.data({ scope, file: out, isWritten }, '');
      return;
    }
    await pause(intervalMs, signal);
  }
}
