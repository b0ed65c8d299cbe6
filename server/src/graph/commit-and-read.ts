import { assert } from '#base/assert.ts';
import type { CommitPort, WriterOperation } from './operations.ts';
import type { GraphReader } from './reader.ts';

/** Commits what the server itself writes; then the reader sees it. Rejects as the port does. */
export async function commitAndRead(
  operations: readonly WriterOperation[],
  { commits, reader }: { readonly commits: CommitPort; readonly reader: GraphReader },
): Promise<void> {
  const { sequence } = await commits.commit({ operations, system: true });
  assert(reader.refresh() >= sequence, 'a commit that is acknowledged is applied');
}
