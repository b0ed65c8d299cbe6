import { Problem } from '#base/problem.ts';
import type { HttpServices } from '#http/services.ts';
import type { RunnableTask } from '#tasks/task.ts';
import type { OpenBackups } from '../backup/open-backups.ts';
import { SERVER } from '../endpoint-files.ts';

/**
 * What the primary has for tasks to run. What needs other services is made where they are, and
 * handed in beside it.
 */
export function searchEvaluationTask(goldenSets: HttpServices['goldenSets']): RunnableTask {
  return {
    name: 'search-evaluation',
    description: 'Measures, with each golden set, how good searches are.',
    run: async ({ signal, log, progress }) => {
      const { items } = await goldenSets.list(SERVER);
      const measured: unknown[] = [];
      for (const [at, { name }] of items.entries()) {
        signal.throwIfAborted();
        progress(at / items.length, name);
        const report = await goldenSets.run(SERVER, name);
        log(`${name} is measured`);
        measured.push({ name, report });
      }
      return { sets: measured };
    },
  };
}

export function replicaVerificationTask(replicas: HttpServices['replicas']): RunnableTask {
  return {
    name: 'replica-verification',
    description: 'Compares every replica with the primary; fails when one differs.',
    run: async ({ log }) => {
      const verification = await replicas.verify();
      log(`${verification.replicas.length} replicas were compared`);
      if (!verification.isEqual) {
        throw new Problem('replicas_differ', 'A replica is not equal to the primary', {
          details: { verification },
        });
      }
      return verification;
    },
  };
}

/** The job of the backup is beside that of the task; to cancel one cancels the other. */
export function backupTask(backups: Pick<OpenBackups, 'start' | 'cancel'>): RunnableTask {
  return {
    name: 'backup',
    description: 'Backs the workspace up to where MSK_GRAPH_BACKUP_FOLDER says.',
    run: async ({ signal, log }) => {
      const { job, done } = backups.start();
      const cancel = () => backups.cancel(job.id);
      signal.addEventListener('abort', cancel, { once: true });
      log(`Job ${job.id}`);
      const { id, sequence, nodes, edges, newBytes } = await done.finally(() => {
        signal.removeEventListener('abort', cancel);
      });
      return { id, sequence, nodes, edges, newBytes };
    },
  };
}
