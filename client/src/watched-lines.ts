import { followEvents, type FollowedStream } from './followed-events.ts';
import type { CallOptions, Transport } from './transport.ts';

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
