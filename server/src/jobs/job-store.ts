import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { StoredJob } from './job-record.ts';

/** The node type of `#graph/system-schema.ts` in which jobs are kept. */
const JOB_TYPE = '_Job';

export interface JobStoreParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  /** Told when a job could not be kept: the work itself goes on. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Keeps jobs in the graph, so that they are there after a restart, and after a replica is promoted.
 */
export class JobStore {
  readonly #parts: JobStoreParts;

  constructor(parts: JobStoreParts) {
    this.#parts = parts;
  }

  /** Newest first. */
  load(): StoredJob[] {
    const { reader } = this.#parts;
    reader.refresh();
    return reader.idsOfType(JOB_TYPE).map((id) => reader.field(id, 'Record') as StoredJob);
  }

  /** In the order of the calls. Never rejects. */
  async save(stored: StoredJob, removed: readonly string[]): Promise<void> {
    const { commits, onFailure } = this.#parts;
    const { id, startedAt } = stored.job;
    const operations: WriterOperation[] = [
      {
        op: 'addOrUpdate',
        type: JOB_TYPE,
        key: id,
        timestamp: startedAt,
        fields: { Record: { ...stored } },
      },
      ...removed.map((key) => ({ op: 'delete', type: JOB_TYPE, key }) as const),
    ];
    try {
      await commits.commit({ system: true, operations });
    } catch (error) {
      onFailure(error);
    }
  }
}
