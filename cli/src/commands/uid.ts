import { nodeUid } from '@trellis/client/uid.ts';
import type { Command } from 'commander';
import type { Run } from '../command-context.ts';

export function addUid(program: Command, run: Run): void {
  program
    .command('uid')
    .summary('compute the UID of a node')
    .description(
      'Computes the UID of the node with this type and key, whether it exists or not. Needs no server.',
    )
    .argument('<type>', 'node type')
    .argument('<key>', 'key of the node')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis uid Word dog
  $ trellis uid Person "Ann Smith" --json`,
    )
    .action(
      run(({ output }, _options, type: string, key: string) => {
        const uid = nodeUid(type, key);
        output.data({ type, key, uid }, uid);
      }),
    );
}
