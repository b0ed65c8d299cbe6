import type { ServerEvent } from './event-stream.ts';

interface LineBatch {
  readonly lines: readonly { readonly sequence: number }[];
  readonly dropped: number;
  readonly sequence: number;
}

/** The events of a log that is watched: see `watchEndpointLogs` in the contract. */
export async function* lineEvents(
  batches: AsyncIterable<LineBatch>,
): AsyncGenerator<ServerEvent[]> {
  for await (const { dropped, lines, sequence } of batches) {
    const lost = dropped === 0 ? [] : [{ event: 'dropped', data: { count: dropped } }];
    const told = lines.map((line) => ({ event: 'line', id: String(line.sequence), data: line }));
    // Whoever loses the connection before the first line comes back to here.
    const position = { event: 'position', id: String(sequence), data: {} };
    yield [...lost, ...(told.length === 0 ? [position] : told)];
  }
}
