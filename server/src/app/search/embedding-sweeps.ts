import { EMBEDDING_SWEEP_FIRST_MS, EMBEDDING_SWEEP_INTERVAL_MS } from '#base/search-limits.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Logger } from '#observe/logger.ts';
import { EMBEDDING_TYPE } from '#search/embeddings/embedding-record.ts';
import type { IndexThread } from './index-thread.ts';

export interface SweepPorts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly logger: Logger;
}

/** On a primary: removes, now and then, the embeddings that no text has any more. */
export function startEmbeddingSweeps(index: IndexThread, ports: SweepPorts): Disposable {
  const sweep = (): void => index.sweep((keys) => void removeEmbeddings(keys, ports));
  const first = setTimeout(sweep, EMBEDDING_SWEEP_FIRST_MS).unref();
  const others = setInterval(sweep, EMBEDDING_SWEEP_INTERVAL_MS).unref();
  return {
    [Symbol.dispose]: () => {
      clearTimeout(first);
      clearInterval(others);
    },
  };
}

/** What stays is found again the next time. */
async function removeEmbeddings(
  keys: readonly string[],
  { reader, commits, logger }: SweepPorts,
): Promise<void> {
  reader.refresh();
  const operations = keys
    .map((key) => ({ op: 'delete', type: EMBEDDING_TYPE, key }) as const)
    .filter((node) => reader.id(node) !== undefined);
  if (operations.length === 0) return;
  try {
    await commits.commit({ system: true, operations });
    logger.info(`removed ${operations.length} embeddings that no text has any more`);
  } catch (error) {
    logger.warn({ err: error }, 'embeddings that no text has any more are not removed');
  }
}
