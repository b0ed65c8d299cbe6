import type { Caller } from '#access/caller.ts';
import { unreachable } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';

/** Throws `forbidden`, naming what is missing, unless the caller may call the operation (specification, section 4). */
export function authorize(operation: Operation, caller: Caller): void {
  const { scope } = operation;
  if (caller.kind === 'api' && scope !== undefined && caller.scopes.includes(scope)) return;
  if (caller.kind === 'session' && hasRole(operation, caller)) return;
  throw forbidden(operation);
}

function hasRole({ auth }: Operation, caller: Caller): boolean {
  switch (auth) {
    case 'none':
    case 'session':
      return true;
    case 'admin':
      return caller.isAdmin || caller.isReadOnlyAdmin;
    case 'admin-write':
      return caller.isAdmin && !caller.isReadOnlyAdmin;
    default:
      return unreachable(auth);
  }
}

const NEEDED = {
  none: 'nobody in particular',
  session: 'a signed-in user',
  admin: 'a system administrator',
  'admin-write': 'a system administrator with write access',
} as const;

function forbidden({ id, auth, scope }: Operation): Problem {
  const token = scope === undefined ? '' : `, or an API token with the scope "${scope}"`;
  return new Problem('forbidden', `${id} needs ${NEEDED[auth]}${token}.`, {
    details: { role: auth, ...(scope === undefined ? {} : { scope }) },
  });
}
