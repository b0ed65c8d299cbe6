import { readEvents, type StreamEvent } from './event-stream.ts';
import type { Call, Transport } from './transport.ts';
import { TrellisError } from './trellis-error.ts';

/**
 * The events of an answer before `done`. Throws what the service refuses with, also when that is on
 * the way; an answer without its end is `connection_failed`.
 */
export async function* answerEvents(
  transport: Transport,
  call: Call,
): AsyncGenerator<StreamEvent, void, undefined> {
  const { response } = await transport.send({
    ...call,
    headers: { ...call.headers, accept: 'text/event-stream' },
    streams: true,
  });
  try {
    for await (const event of readEvents(response)) {
      if (event.event === 'done') return;
      if (event.event === 'error') {
        throw (
          TrellisError.fromBody(response, event.data) ??
          TrellisError.unexpectedAnswer(response, event.data)
        );
      }
      yield event;
    }
  } catch (error) {
    call.signal?.throwIfAborted();
    if (error instanceof TypeError) {
      throw TrellisError.connectionFailed(new URL(response.url), error);
    }
    throw error;
  }
  throw TrellisError.connectionFailed(new URL(response.url), new Error('the answer broke off'));
}

/** The text of an event that has one. */
export function textIn(data: string): string {
  return (JSON.parse(data) as { readonly text: string }).text;
}
