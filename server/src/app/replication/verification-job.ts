import type { ReplicaVerification } from '@trellis/contract/shapes/replica.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { OnVerificationProgress } from '#replication/verification.ts';

export interface VerificationPort {
  /** Throws `verification_running`, `job_cancelled`. */
  run(onProgress: OnVerificationProgress | undefined): Promise<ReplicaVerification>;
  cancel(): void;
}

/** Compares the replicas as a job; a second one at a time is refused, and is none. */
export function verifyAsJob(
  jobs: JobRegistry,
  port: VerificationPort,
): Promise<ReplicaVerification> {
  const kind = 'replica-verification';
  if (jobs.underWay().some((job) => job.kind === kind)) return port.run(undefined);
  return jobs.run({ kind, step: stepAt(0, 0), isCancellable: true }, async (job) => {
    job.signal.addEventListener('abort', () => port.cancel(), { once: true });
    const report = await port.run((done, total) => {
      job.report({ progress: done / total, step: stepAt(done, total) });
    });
    for (const { replicaName, state } of report.replicas) job.log(`${replicaName}: ${state}`);
    return report;
  });
}

/** See `OnVerificationProgress`. */
function stepAt(done: number, total: number): string {
  if (done === 0) return 'Stopping the replicas at one commit';
  if (done === 1) return 'Reading the state of the primary';
  return `Comparing: ${done - 2} of ${total - 2} replicas`;
}
