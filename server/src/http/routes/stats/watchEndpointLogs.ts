import { watchEndpointLogs as operation } from '@trellis/contract/operations/endpoint-log.ts';
import { eventStreamRoute, type ServerEvent } from '../../event-stream.ts';
import type { EndpointLogBatch } from '../../build-services.ts';

export const watchEndpointLogs = eventStreamRoute(
  operation,
  ({ caller, query, lastEventId, signal }, { endpointLogs }) =>
    events(endpointLogs.watch(caller, query, { after: sequenceOf(lastEventId), signal })),
);

async function* events(batches: AsyncIterable<EndpointLogBatch>): AsyncGenerator<ServerEvent[]> {
  for await (const { dropped, lines, sequence } of batches) {
    const lost = dropped === 0 ? [] : [{ event: 'dropped', data: { count: dropped } }];
    const told = lines.map((line) => ({ event: 'line', id: String(line.sequence), data: line }));
    // Whoever loses the connection before the first line comes back to here.
    const position = { event: 'position', id: String(sequence), data: {} };
    yield [...lost, ...(told.length === 0 ? [position] : told)];
  }
}

/** What is no sequence was never an id of ours: the stream begins with what comes next. */
function sequenceOf(lastEventId: string | undefined): number | undefined {
  return lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId)
    ? Number(lastEventId)
    : undefined;
}
