import { expect } from 'vitest';
import type { TrellisClient } from '@trellis/client/trellis-client.ts';

/** The last run of a connector, once none is under way. */
export async function endedRun({ connectors }: TrellisClient, id: string) {
  await expect.poll(async () => (await connectors.get(id)).jobId).toBeNull();
  return (await connectors.get(id)).lastRun;
}

/** Runs a connector to its end. `full`: reads everything anew. */
export async function runToEnd(client: TrellisClient, id: string, full = false) {
  await client.connectors.run(id, { full });
  return endedRun(client, id);
}

/** Who sees each row at the source and here, such as `both team North`, by row. */
export async function readersByRow({ connectors }: TrellisClient, id: string) {
  const { items } = await connectors.access(id);
  return Object.fromEntries(
    items.map(({ row, principals }) => [
      row,
      principals.map(({ kind, name, sees }) => `${sees} ${kind} ${name}`),
    ]),
  );
}
