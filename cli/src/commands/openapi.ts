import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { writeIfChanged } from '../write-if-changed.ts';

export function addOpenApi(program: Command, run: Run): void {
  program
    .command('openapi')
    .summary('write the description of the API, in OpenAPI 3.1')
    .description(
      'Writes the OpenAPI 3.1 document of the server: its operations, and the custom endpoints ' +
        'that you may run. Generators can make clients from it in many languages.',
    )
    .option(
      '--out <file>',
      'write to a file instead of stdout; a file with the same content is left alone',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis openapi --out openapi.json
  $ trellis openapi --out openapi.json && npx openapi-typescript openapi.json --default-non-nullable=false --output trellis.d.ts`,
    )
    .action(run(writeDocument));
}

async function writeDocument(
  { client, output, terminal }: CommandContext,
  { out }: { readonly out?: string },
): Promise<void> {
  const document = await client.workspace.getApiDocument({ signal: terminal.signal });
  const text = JSON.stringify(document, null, 2);
  if (out === undefined) {
    output.data(document, text);
    return;
  }
  const isWritten = writeIfChanged(out, `${text}\n`);
  output.note(isWritten ? `Wrote ${out}.` : `${out} is up to date.`);
  output.data({ file: out, isWritten }, '');
}
