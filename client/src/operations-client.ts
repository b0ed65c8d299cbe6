import type { BackupList } from '@trellis/contract/shapes/backup.ts';
import type { Job, JobKind, JobLine, JobState, JobWithLog } from '@trellis/contract/shapes/job.ts';
import type { LicenseReport } from '@trellis/contract/shapes/license.ts';
import type {
  LiveLogRecord,
  LogFileList,
  LogFilter,
  LogPage,
} from '@trellis/contract/shapes/log.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import type { OverviewStatistics } from '@trellis/contract/shapes/stats.ts';
import { followEvents } from './followed-events.ts';
import type { PageRequest } from './pages.ts';
import type { CallOptions } from './transport.ts';
import type { Download } from './graph-client.ts';
import { MigrationsClient } from './migrations-client.ts';
import { watchLines, type LineEvent, type WatchOptions } from './watched-lines.ts';

/** A job as it is now, or a line of its log. */
export type JobEvent =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'log'; readonly line: JobLine };

/** What keeps a server running, and tells how it runs; for administrators. */
export class OperationsClient extends MigrationsClient {
  /** Nodes and edges of each type, and the load of the last hour of the server at `baseUrl`. */
  getOverviewStatistics(options?: CallOptions): Promise<OverviewStatistics> {
    return this.get('/api/graph/stats/overview', options);
  }

  /** What the server at `baseUrl` was started with. */
  getLicense(options?: CallOptions): Promise<LicenseReport> {
    return this.get('/api/license', options);
  }

  /** Newest first; `eachItem` gives them all. */
  listJobs(
    query: PageRequest & { readonly state?: JobState; readonly kind?: JobKind } = {},
    options?: CallOptions,
  ): Promise<List<Job>> {
    return this.get('/api/jobs', options, { ...query });
  }

  /** With the last lines of its log. */
  getJob(id: string, options?: CallOptions): Promise<JobWithLog> {
    return this.get(jobPath(id), options);
  }

  /** The job ends a moment later: `watchJob` tells when. */
  cancelJob(id: string, options?: CallOptions): Promise<Job> {
    return this.post(`${jobPath(id)}/cancel`, undefined, options);
  }

  /**
   * The job as it is now, then as it changes, with the lines of its log, until it has ended. After a lost connection it goes on where
   * it was; it throws what the service refuses with, or the signal's reason.
   */
  async *watchJob(
    id: string,
    options: Pick<WatchOptions, 'signal'> = {},
  ): AsyncGenerator<JobEvent, void, undefined> {
    const stream = { path: `${jobPath(id)}/events`, ...options };
    for await (const { event, data } of followEvents(this.transport, stream)) {
      if (event === 'job') yield { kind: 'job', job: JSON.parse(data) as Job };
      if (event === 'log') yield { kind: 'log', line: JSON.parse(data) as JobLine };
    }
  }

  /** The job goes on when this resolves: `watchJob` tells of its end. */
  runBackup(options?: CallOptions): Promise<JobWithLog> {
    return this.post('/api/admin/backup/run', undefined, options);
  }

  /** Newest first; `target` is null where the server has no place for them. */
  listBackups(page: PageRequest = {}, options?: CallOptions): Promise<BackupList> {
    return this.get('/api/admin/backups', options, { ...page });
  }

  /** Restores it beside the workspace and compares, as a job. What is damaged goes, and the next backup has it anew. */
  verifyBackup(id: string, options?: CallOptions): Promise<JobWithLog> {
    return this.post(`${backupPath(id)}/verify`, undefined, options);
  }

  deleteBackup(id: string, options?: CallOptions): Promise<void> {
    return this.tell('DELETE', backupPath(id), undefined, options);
  }

  /** The log files of the server at `baseUrl`, newest first. */
  listLogFiles(options?: CallOptions): Promise<LogFileList> {
    return this.get('/api/graph/logs-files', options);
  }

  /** What the server at `baseUrl` has logged, newest first; `total` is a lower bound. */
  searchLogs(query: PageRequest & LogFilter = {}, options?: CallOptions): Promise<LogPage> {
    return this.get('/api/graph/logs', options, { ...query });
  }

  /** The same as it happens: as `watchEndpointLogs`. */
  watchLogs(
    filter: LogFilter = {},
    options?: WatchOptions,
  ): AsyncGenerator<LineEvent<LiveLogRecord>, void, undefined> {
    const path = '/api/graph/logs/live';
    return watchLines(this.transport, { path, query: { ...filter }, ...options });
  }

  /** The records that contain the text, of all log files or of those named, as lines of JSON. */
  async downloadLogs(
    wanted: { readonly query?: string; readonly fileNames?: readonly string[] } = {},
    options?: CallOptions,
  ): Promise<Download> {
    const { response } = await this.transport.send({
      method: 'GET',
      path: '/api/graph/logs-files/download',
      query: { query: wanted.query, fileNames: wanted.fileNames?.join(',') },
      ...options,
      streams: true,
    });
    return response.body ?? new Blob([]).stream();
  }
}

function backupPath(id: string): string {
  return `/api/admin/backups/${encodeURIComponent(id)}`;
}

function jobPath(id: string): string {
  return `/api/jobs/${encodeURIComponent(id)}`;
}
