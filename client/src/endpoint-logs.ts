import type { EndpointLogFilter, EndpointLogLine } from '@trellis/contract/shapes/endpoint-log.ts';
import { readEvents } from './event-stream.ts';
import { pause, type CallOptions, type Transport } from './transport.ts';

/** A line, or how many were gone before they could be sent. */
export type EndpointLogEvent =
  | { readonly kind: 'line'; readonly line: EndpointLogLine }
  | { readonly kind: 'dropped'; readonly count: number };

export interface WatchOptions extends Pick<CallOptions, 'signal'> {
  /** Sequence of the line to begin after; without it the lines from now on. */
  readonly after?: number | undefined;
}

/** See `BuildClient.watchEndpointLogs`. */
export async function* watchEndpointLogs(
  transport: Transport,
  filter: EndpointLogFilter,
  { after, signal }: WatchOptions = {},
): AsyncGenerator<EndpointLogEvent, void, undefined> {
  let lastEventId = after === undefined ? '' : String(after);
  for (;;) {
    const { response } = await transport.send({
      method: 'GET',
      path: '/api/endpoints/logs/live',
      query: { ...filter },
      headers: {
        accept: 'text/event-stream',
        ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
      },
      streams: true,
      signal,
    });
    try {
      for await (const { event, data, lastEventId: id } of readEvents(response)) {
        if (event === 'end') return;
        if (id !== '') lastEventId = id;
        if (event === 'line') yield { kind: 'line', line: JSON.parse(data) as EndpointLogLine };
        if (event === 'dropped')
          yield { kind: 'dropped', count: Number(Object(JSON.parse(data)).count) };
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof TypeError)) throw error;
    }
    // The connection was lost, or the session is over, which the next answer says.
    await pause(transport.retry.pauseMs, signal);
  }
}
