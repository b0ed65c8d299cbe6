import type { Job } from '@trellis/contract/shapes/job.ts';
import type { WebSocketMessage } from '@trellis/contract/web-socket.ts';
import { JOB_NOTICE_INTERVAL_MS } from '#base/limits.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';

/**
 * Tells clients of jobs, and whose they are: of one that begins or ends at once, of its progress
 * every so often.
 */
export function startJobNotices(
  jobs: Pick<JobRegistry, 'onChange'>,
  tell: (message: WebSocketMessage, owner: string | undefined) => void,
): Disposable {
  /** The newest state of each that changed within its interval; undefined when nothing has. */
  const waiting = new Map<string, { job: Job | undefined; readonly timer: NodeJS.Timeout }>();
  const tellOf = (job: Job, owner: string | undefined): void => {
    clearTimeout(waiting.get(job.id)?.timer);
    waiting.delete(job.id);
    tell({ type: 'JOB_CHANGED', job }, owner);
    if (job.state !== 'running') return;
    const timer = setTimeout(() => {
      const { job: newest } = waiting.get(job.id) ?? {};
      waiting.delete(job.id);
      if (newest !== undefined) tellOf(newest, owner);
    }, JOB_NOTICE_INTERVAL_MS).unref();
    waiting.set(job.id, { job: undefined, timer });
  };
  jobs.onChange((job, owner) => {
    const told = waiting.get(job.id);
    if (told === undefined || job.state !== 'running') tellOf(job, owner);
    else told.job = job;
  });
  return {
    [Symbol.dispose]: () => {
      jobs.onChange(() => {});
      for (const { timer } of waiting.values()) clearTimeout(timer);
    },
  };
}
