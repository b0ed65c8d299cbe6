import type { TaskRun } from '@trellis/contract/shapes/task.ts';
import { must } from '#base/assert.ts';
import { TASK_RUNS_KEPT } from '#base/limits.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';

/** The node type in which runs are stored: see `#graph/system-schema.ts`. */
const RUN_TYPE = '_TaskRun';

/**
 * Keeps the last runs of each task in the graph, so that they are there after a restart, and after
 * a replica is promoted.
 */
export class TaskRunStore {
  readonly #reader: GraphReader;
  readonly #commits: CommitPort;
  /** Their ids by task, the newest first. */
  readonly #ids = new Map<string, readonly string[]>();

  constructor(reader: GraphReader, commits: CommitPort) {
    this.#reader = reader;
    this.#commits = commits;
    reader.refresh();
    for (const id of reader.idsOfType(RUN_TYPE)) {
      const { values } = must(reader.fields(id, ['Task', 'Key']), 'the node of a run');
      const [task, key] = values.map(String);
      this.#ids.set(task ?? '', [...this.#of(task ?? ''), key ?? '']);
    }
  }

  /** The newest first. */
  list(task: string, { skip, take }: { readonly skip: number; readonly take: number }) {
    const all = this.#of(task);
    const items = all.slice(skip, skip + take).map((id) => this.#read(id));
    return { items, total: all.length, skip, take };
  }

  last(task: string): TaskRun | undefined {
    const [newest] = this.#of(task);
    return newest === undefined ? undefined : this.#read(newest);
  }

  /** Those that nobody has ended. */
  underWay(): TaskRun[] {
    const all = [...this.#ids.values()].flat().map((id) => this.#read(id));
    return all.filter(({ state }) => state === 'running');
  }

  /** A new one; the oldest of its task goes when there are too many. */
  async add(run: TaskRun): Promise<void> {
    const ids = [run.id, ...this.#of(run.task)];
    const old = ids.slice(TASK_RUNS_KEPT);
    await this.#commit([write(run), ...old.map(removal)]);
    this.#ids.set(run.task, ids.slice(0, TASK_RUNS_KEPT));
  }

  /** What has become of one, unless it is gone. */
  async change(run: TaskRun): Promise<void> {
    if (this.#of(run.task).includes(run.id)) await this.#commit([write(run)]);
  }

  /**
   * What takes the runs of a task away, for the commit that takes the task away; `forget` follows
   * it.
   */
  removals(task: string): WriterOperation[] {
    return this.#of(task).map(removal);
  }

  forget(task: string): void {
    this.#ids.delete(task);
  }

  #of(task: string): readonly string[] {
    return this.#ids.get(task) ?? [];
  }

  #read(key: string): TaskRun {
    const id = must(this.#reader.id({ type: RUN_TYPE, key }), 'the node of a run');
    return this.#reader.field(id, 'Record') as TaskRun;
  }

  #commit(operations: readonly WriterOperation[]): Promise<void> {
    return commitAndRead(operations, { reader: this.#reader, commits: this.#commits });
  }
}

function write(run: TaskRun): WriterOperation {
  const { id: key, task, startedAt: timestamp } = run;
  const fields = { Task: task, Record: { ...run } };
  return { op: 'addOrUpdate', type: RUN_TYPE, key, timestamp, fields };
}

function removal(key: string): WriterOperation {
  return { op: 'delete', type: RUN_TYPE, key };
}
