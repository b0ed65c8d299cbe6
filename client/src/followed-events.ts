import { readEvents, type StreamEvent } from './event-stream.ts';
import { pause, type Call, type CallOptions, type Transport } from './transport.ts';

export interface FollowedStream extends Pick<CallOptions, 'signal'> {
  readonly path: string;
  readonly query?: Call['query'];
  /** Id of the event to begin after. */
  readonly after?: number | undefined;
}

/**
 * The events of a stream until the event `end`, across lost connections: each goes on after the
 * last event that had an id. Throws what the service refuses with, or the signal's reason.
 */
export async function* followEvents(
  transport: Transport,
  { path, query, after, signal }: FollowedStream,
): AsyncGenerator<StreamEvent, void, undefined> {
  let lastEventId = after === undefined ? '' : String(after);
  for (;;) {
    const { response } = await transport.send({
      method: 'GET',
      path,
      query,
      headers: {
        accept: 'text/event-stream',
        ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
      },
      streams: true,
      signal,
    });
    try {
      for await (const event of readEvents(response)) {
        if (event.event === 'end') return;
        if (event.lastEventId !== '') lastEventId = event.lastEventId;
        yield event;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof TypeError)) throw error;
    }
    // The connection was lost, or the session is over, which the next answer says.
    await pause(transport.retry.pauseMs, signal);
  }
}
