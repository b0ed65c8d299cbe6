import type { EndpointLogFilter, EndpointLogLine } from '@trellis/contract/shapes/endpoint-log.ts';
import type { Job, JobLine } from '@trellis/contract/shapes/job.ts';
import type { LiveLogRecord, LogFilter } from '@trellis/contract/shapes/log.ts';
import { followEvents, type LineEvent, watchLines, type WatchOptions } from '../event-stream.ts';
import { callTo, type Download } from '../operation-methods.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** A job as it is now, or a line of its log. */
export type JobEvent =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'log'; readonly line: JobLine };

/**
 * The job as it is now, then as it changes, with the lines of its log, until it has ended. After a
 * lost connection it goes on where it was; it throws what the service refuses with, or the signal's
 * reason.
 */
export async function* watchJob(
  transport: Transport,
  id: string,
  options: Pick<WatchOptions, 'signal'> = {},
): AsyncGenerator<JobEvent, void, undefined> {
  const { path } = callTo('jobs', 'watch', id);
  for await (const { event, data } of followEvents(transport, { path, ...options })) {
    if (event === 'job') yield { kind: 'job', job: JSON.parse(data) as Job };
    if (event === 'log') yield { kind: 'log', line: JSON.parse(data) as JobLine };
  }
}

/**
 * What endpoints log, as it happens: `for await (const event of client.endpoints.watchLogs({ level:
 * 'warn' }))`. After a lost connection it goes on where it was; it ends once `to` has passed, and
 * throws what the service refuses with, or the signal's reason.
 */
export function watchEndpointLogs(
  transport: Transport,
  filter: EndpointLogFilter = {},
  options?: WatchOptions,
): AsyncGenerator<LineEvent<EndpointLogLine>, void, undefined> {
  const { path } = callTo('endpoints', 'watchLogs');
  return watchLines(transport, { path, query: { ...filter }, ...options });
}

/** What the server at `baseUrl` logs, as it happens: as `client.endpoints.watchLogs`. */
export function watchLogs(
  transport: Transport,
  filter: LogFilter = {},
  options?: WatchOptions,
): AsyncGenerator<LineEvent<LiveLogRecord>, void, undefined> {
  const { path } = callTo('logs', 'watch');
  return watchLines(transport, { path, query: { ...filter }, ...options });
}

/** The records that fit, of all log files or of those named, as lines of JSON. */
export function downloadLogs(
  transport: Transport,
  query: LogFilter & { readonly fileNames?: readonly string[] } = {},
  options?: CallOptions,
): Promise<Download> {
  return transport.bytes({ ...callTo('logs', 'download'), query, ...options });
}
