import { setImmediate } from 'node:timers/promises';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { nodeUid } from '@trellis/client/uid.ts';
import { latencyOf, timed } from './measure.ts';
import type { Report } from './report.ts';
import { startServer } from './server.ts';

const READERS = 4;
const TARGET_SECONDS = 1;
/** Reads before the rename, so that it is not the first that the server does. */
const READS_BEFORE = 2_000;

interface Renamed {
  readonly storage: string;
  readonly type: string;
  readonly nodes: number;
  /** Of the node with this number. */
  readonly keyOf: (number: number) => string;
}

/** A type of many nodes gets another name, while others read its nodes. */
export async function benchRename(
  report: Report,
  { storage, type, nodes, keyOf }: Renamed,
): Promise<void> {
  await using server = await startServer(storage, 'none');
  const client = new TrellisClient({ baseUrl: server.url, token: server.token });
  const times: number[] = [];
  const over = new AbortController();
  const read = async (reader: number): Promise<void> => {
    for (let i = reader; !over.signal.aborted; i += READERS) {
      const uid = nodeUid(type, keyOf((i * 7_919) % nodes));
      times.push((await timed(() => client.nodes.get(uid))).seconds * 1_000);
    }
  };
  const reading = Promise.all(Array.from({ length: READERS }, (_, reader) => read(reader)));
  while (times.length < READS_BEFORE) await setImmediate();
  times.length = 0;
  const to = `${type}Renamed`;
  const { seconds } = await timed(() =>
    client.schema.change({ changes: [{ rename: { type, to } }] }),
  );
  const during = [...times];
  over.abort();
  await reading;
  const { total } = await client.nodes.query({ type: to, take: 1 });
  if (total !== nodes) throw new Error(`${total} nodes have the new name`);
  report.add({
    what: `a rename of a type of ${nodes} nodes, until its answer`,
    ours: `${(seconds * 1_000).toFixed(0)} ms`,
    others: [`${during.length} reads meanwhile, p99 ${latencyOf(during).p99.toFixed(1)} ms`],
    ratio: (seconds / TARGET_SECONDS).toFixed(2),
    target: `within ${TARGET_SECONDS} s`,
    reached: seconds <= TARGET_SECONDS,
  });
}
