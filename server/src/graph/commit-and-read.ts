import { assert } from '#base/assert.ts';
import type { CommitPort, WriterOperation } from './operations.ts';
import type { GraphReader } from './reader.ts';

/**
 * Commits operations of the server itself, and moves the reader to a state that has them. Rejects
 * with the problems of the port.
 */
export async function commitAndRead(
  operations: readonly WriterOperation[],
  { commits, reader }: { readonly commits: CommitPort; readonly reader: GraphReader },
): Promise<void> {
  const { sequence } = await commits.commit({ operations, system: true });
  assert(reader.refresh() >= sequence, 'a commit that is acknowledged is applied');
}
