import { Problem } from '#base/problem.ts';

interface ConflictingCall {
  /** It has used `graph.commit()`. */
  readonly hasCommitted: boolean;
  readonly hasCalledOut: boolean;
}

/** To the caller of a call that is not run again when others have changed what it has read. */
export function writeConflict(call: ConflictingCall): Problem {
  return new Problem('write_conflict', 'Others have changed what the call has read', {
    hint: hintOf(call),
  });
}

function hintOf({ hasCommitted, hasCalledOut }: ConflictingCall): string {
  if (hasCommitted) {
    return 'What it has committed with graph.commit() stays, so it was not run again. What it wrote after that is lost.';
  }
  return hasCalledOut
    ? 'It has called something outside, so it was not run again. Nothing was written: send the request again.'
    : 'Nothing of it was written. Send the request again.';
}
