import type { AuditAction, AuditEvent } from './audit-event.ts';
import type { Caller } from './caller.ts';

/** Who does something, and from which address. */
export interface Doer {
  readonly caller: Caller;
  /** The address of the client; null when it is not known. */
  readonly address: string | null;
}

/** The event of something done to a node. */
export function deed(
  action: AuditAction,
  { caller, address }: Doer,
  target: NonNullable<AuditEvent['target']>,
  details?: AuditEvent['details'],
): AuditEvent {
  const { userUid, userName } = caller;
  return {
    action,
    actor: userUid === null ? null : { uid: userUid, name: userName ?? userUid },
    target,
    outcome: 'success',
    address,
    ...(details === undefined ? {} : { details }),
  };
}
