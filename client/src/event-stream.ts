import { TrellisError } from './trellis-error.ts';
import { type Call, type CallOptions, pause, type Transport } from './transport.ts';

/** One event of a stream (HTML standard, section 9.2). */
interface StreamEvent {
  readonly event: string;
  /** Id of the last event that had one; empty before. */
  readonly lastEventId: string;
  readonly data: string;
}

/** Longer than any event of the service. */
const LINE_CHARACTERS_MAX = 32 * 1024 * 1024;

/**
 * The events of an answer as they arrive; ends where the answer ends, and rejects when it breaks
 * off.
 */
export async function* readEvents(
  response: Response,
): AsyncGenerator<StreamEvent, void, undefined> {
  if (response.body === null) return;
  let event = '';
  let lastEventId = '';
  let data: string[] = [];
  for await (const line of linesOf(response.body, response)) {
    if (line === '') {
      if (data.length > 0) yield { event: event || 'message', lastEventId, data: data.join('\n') };
      event = '';
      data = [];
      continue;
    }
    const [, name = '', value = ''] = /^([^:]*)(?::(?: ?)(.*))?$/s.exec(line) ?? [];
    if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
    else if (name === 'id' && !value.includes('\0')) lastEventId = value;
  }
}

async function* linesOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  response: Response,
): AsyncGenerator<string, void, undefined> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LINE_CHARACTERS_MAX) {
        throw TrellisError.unexpectedAnswer(response, rest.slice(0, 100));
      }
      for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
    }
  } finally {
    // Whoever leaves early, leaves the connection too.
    await reader.cancel().catch(() => undefined);
  }
}

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

interface FollowedStream extends Pick<CallOptions, 'signal'> {
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

/** A line of a log, or how many were gone before they could be sent. */
export type LineEvent<Line> =
  | { readonly kind: 'line'; readonly line: Line }
  | { readonly kind: 'dropped'; readonly count: number };

export interface WatchOptions extends Pick<CallOptions, 'signal'> {
  /** Sequence of the line to begin after; without it the lines from now on. */
  readonly after?: number | undefined;
}

/** A log as it is written, across lost connections. */
export async function* watchLines<Line>(
  transport: Transport,
  stream: FollowedStream,
): AsyncGenerator<LineEvent<Line>, void, undefined> {
  for await (const { event, data } of followEvents(transport, stream)) {
    if (event === 'line') yield { kind: 'line', line: JSON.parse(data) as Line };
    if (event === 'dropped')
      yield { kind: 'dropped', count: Number(Object(JSON.parse(data)).count) };
  }
}
