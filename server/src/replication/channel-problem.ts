import { status } from '@grpc/grpc-js';
import { Problem } from '#base/problem.ts';

/**
 * The failures of the channel. Each crosses it as one gRPC status and its message, and is the same
 * problem on the other side; whatever else fails becomes `replication_unavailable`, which may be
 * tried again.
 */
const STATUS_OF_CODE: Readonly<Record<string, status>> = {
  replication_unavailable: status.UNAVAILABLE,
  replication_not_authenticated: status.UNAUTHENTICATED,
  replica_not_registered: status.PERMISSION_DENIED,
  replication_epoch_differs: status.FAILED_PRECONDITION,
  log_trimmed: status.OUT_OF_RANGE,
  replication_corrupt: status.DATA_LOSS,
  storage_full: status.ABORTED,
};

/** The other side cannot be reached, has gone away, or cannot go on for now. */
export function unavailable(why: string, cause?: unknown): Problem {
  return new Problem('replication_unavailable', why, {
    hint: 'Check that the primary runs and that its replication port can be reached; then connect again.',
    cause,
  });
}

/** The two sides do not share one MSK_JWT_KEY (specification, section 3.1). */
export function notAuthenticated(cause?: unknown): Problem {
  return new Problem('replication_not_authenticated', 'replication is not authenticated', {
    hint: 'Give the replica the same MSK_JWT_KEY as the primary.',
    cause,
  });
}

/**
 * The primary does not know the replica: never registered, dropped, or the primary was restarted.
 */
export function notRegistered(why: string, cause?: unknown): Problem {
  return new Problem('replica_not_registered', why, {
    hint: 'Register the replica with the primary, then connect again.',
    cause,
  });
}

/** Primary and replica have different histories, which must not be mixed. */
export function epochDiffers(why: string, cause?: unknown): Problem {
  return new Problem('replication_epoch_differs', why, {
    hint: 'The replica must start over from a snapshot of the primary.',
    cause,
  });
}

/** Bytes arrived that are not what was sent, or not what was asked for. */
export function corrupt(why: string, cause?: unknown): Problem {
  return new Problem('replication_corrupt', `the replication channel is corrupt: ${why}`, {
    hint: 'Nothing of it was used; connect again. If it happens again, check the network between the two.',
    cause,
  });
}

/** The primary's log no longer reaches back to where the replica is. */
export function trimmed(why: string, cause?: unknown): Problem {
  return new Problem('log_trimmed', why, {
    hint: 'The replica cannot resume and must start over from a snapshot of the primary.',
    cause,
  });
}

/** The primary has no room for a snapshot. */
function noRoom(cause: unknown): Problem {
  return new Problem('storage_full', 'the primary has no room for a snapshot', {
    hint: 'Free room on the volume of the storage folder of the primary; then start the replica again.',
    cause,
  });
}

export interface CallStatus {
  readonly code: status;
  readonly details: string;
}

/** Whether a failure is one of the channel's, which the other side is told, and not one of ours. */
export function isChannelProblem(error: unknown): error is Problem {
  return error instanceof Problem && error.code in STATUS_OF_CODE;
}

/** The status that the other side gets. About a failure inside it says only that there was one. */
export function statusOf(error: unknown): CallStatus {
  if (!isChannelProblem(error)) {
    return { code: status.UNAVAILABLE, details: 'the other side could not go on' };
  }
  // Its message tells of folders, which are nobody else's business.
  const details = error.code === 'storage_full' ? 'no room' : error.message;
  return { code: STATUS_OF_CODE[error.code]!, details };
}

/** The problem behind what a call failed with. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { code, details } = readStatus(error);
  switch (code) {
    case status.UNAUTHENTICATED:
      return notAuthenticated(error);
    case status.PERMISSION_DENIED:
      return notRegistered(details, error);
    case status.FAILED_PRECONDITION:
      return epochDiffers(details, error);
    case status.OUT_OF_RANGE:
      return trimmed(details, error);
    case status.ABORTED:
      return noRoom(error);
    // gRPC's own checks of its framing fail with the latter two.
    case status.DATA_LOSS:
    case status.INTERNAL:
    case status.RESOURCE_EXHAUSTED:
      return corrupt(details, error);
    default:
      return unavailable(`the replication channel is down: ${details}`, error);
  }
}

function readStatus(error: unknown): { code: unknown; details: string } {
  if (!(error instanceof Error)) return { code: undefined, details: String(error) };
  const code = 'code' in error ? error.code : undefined;
  const details = 'details' in error ? String(error.details) : error.message;
  return { code, details };
}
