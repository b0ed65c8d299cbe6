import type { JobKind } from '@trellis/contract/shapes/job.ts';
import { Problem } from '#base/problem.ts';
import type { JobRecord } from './job-record.ts';

/** Who asks for a job. */
export interface JobViewer {
  readonly userUid: string | null;
  readonly isAdmin: boolean;
  readonly isReadOnlyAdmin: boolean;
  /** The scopes of a token. */
  readonly scopes: readonly string[];
}

/** The server itself, for what it has started. */
export const SERVER: JobViewer = {
  userUid: null,
  isAdmin: true,
  isReadOnlyAdmin: false,
  scopes: [],
};

/**
 * The jobs that a token with a scope may begin, and so may read and cancel; those of no other
 * scope.
 */
const KINDS_OF_SCOPES: ReadonlyMap<string, readonly JobKind[]> = new Map([
  ['admin:backup', ['backup', 'backup-verification']],
  ['admin:tasks', ['task']],
]);

type Viewed = Pick<JobRecord, 'job' | 'owner'>;

/** All of them for administrators; else one's own, and what a scope of one's own begins. */
export function mayRead(viewer: JobViewer, record: Viewed): boolean {
  return readsAll(viewer) || isTheirs(viewer, record);
}

/** The same, but of administrators those with write access. */
export function mayCancel(viewer: JobViewer, record: Viewed): boolean {
  return cancelsAll(viewer) || isTheirs(viewer, record);
}

/**
 * For a job that is not there, or not for the viewer. A user cannot tell the two apart, nor can a
 * token: to users it is `forbidden`, to tokens `job_not_found`, because jobs of theirs too are
 * forgotten after a while.
 */
export function refusal(viewer: JobViewer, id: string, wanted: 'read' | 'cancel'): Problem {
  const seesAll = wanted === 'read' ? readsAll(viewer) : cancelsAll(viewer);
  if (seesAll || kindsOf(viewer).length > 0) {
    return new Problem('job_not_found', `There is no job ${id}.`);
  }
  return new Problem('forbidden', 'Only system administrators see the jobs of other users.', {
    details: { role: wanted === 'read' ? 'admin' : 'admin-write' },
  });
}

function readsAll({ isAdmin, isReadOnlyAdmin }: JobViewer): boolean {
  return isAdmin || isReadOnlyAdmin;
}

function cancelsAll({ isAdmin, isReadOnlyAdmin }: JobViewer): boolean {
  return isAdmin && !isReadOnlyAdmin;
}

function isTheirs(viewer: JobViewer, { job, owner }: Viewed): boolean {
  return (owner !== undefined && owner === viewer.userUid) || kindsOf(viewer).includes(job.kind);
}

function kindsOf({ scopes }: JobViewer): JobKind[] {
  return scopes.flatMap((scope) => KINDS_OF_SCOPES.get(scope) ?? []);
}
