import type { Caller } from '#access/caller.ts';
import { unreachable } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';

/** What says of an operation who may call it. */
type Guarded = Pick<Operation, 'id' | 'auth' | 'role' | 'scope' | 'tokens' | 'noGuests'>;

/**
 * Throws `forbidden`, naming what is missing, unless the caller may call the operation (specification, section 4). A token
 * passes by its scope or its kind alone: what the user it acts as may do, a session of that user may do.
 */
export function authorize(operation: Guarded, caller: Caller): void {
  const isAllowed =
    caller.kind === 'session'
      ? hasRole(operation, caller)
      : hasScope(operation, caller) || operation.tokens?.includes(caller.kind) === true;
  if (!isAllowed || (operation.noGuests === true && caller.isGuest)) throw forbidden(operation);
}

function hasScope({ scope }: Guarded, { scopes }: Caller): boolean {
  if (scope === undefined) return false;
  // Access data is ingested "additionally" (specification, section 2.2): that scope holds the other.
  return scopes.includes(scope) || (scope === 'ingestion' && scopes.includes('ingestion:acl'));
}

/** Whether a session is enough of what is asked for. */
export function hasRole({ auth, role }: Pick<Guarded, 'auth' | 'role'>, caller: Caller): boolean {
  const holdsRole = role !== undefined && caller.roles.includes(role);
  switch (auth) {
    case 'none':
    case 'session':
      return true;
    case 'admin':
      return caller.isAdmin || caller.isReadOnlyAdmin || holdsRole;
    case 'admin-write':
      return (caller.isAdmin || holdsRole) && !caller.isReadOnlyAdmin;
    case 'token':
      return false;
    default:
      return unreachable(auth);
  }
}

const NEEDED = {
  none: 'nobody in particular',
  session: 'a signed-in user',
  admin: 'a system administrator',
  'admin-write': 'a system administrator with write access',
  token: null,
} as const;

function forbidden({ id, auth, role, scope, tokens, noGuests }: Guarded): Problem {
  const needed = [
    NEEDED[auth] && `${NEEDED[auth]}${noGuests === true ? ' who is no guest' : ''}`,
    role && `the role ${role}`,
    scope && `a token with the scope "${scope}"`,
    tokens && `a token of kind ${tokens.map((kind) => `"${kind}"`).join(' or ')}`,
  ].filter((need) => typeof need === 'string');
  return new Problem('forbidden', `${id} needs ${needed.join(', or ')}.`, {
    details: {
      ...(auth === 'token' ? {} : { role: role ?? auth }),
      ...(scope === undefined ? {} : { scope }),
      ...(tokens === undefined ? {} : { tokens }),
      ...(noGuests === undefined ? {} : { noGuests }),
    },
  });
}
