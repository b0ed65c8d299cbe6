import type { Caller } from '#access/caller.ts';
import { unreachable } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { scopesOf } from '@trellis/contract/scopes.ts';

/** The members of an operation that say who may call it. */
type Guarded = Pick<Operation, 'id' | 'auth' | 'role' | 'scope' | 'tokens' | 'noGuests'>;

/**
 * Throws `forbidden`, naming what is missing, unless the caller may call the operation
 * (specification, section 4). A token passes by its scope or its kind alone: what the user it acts
 * as may do, a session of that user may do.
 */
export function authorize(operation: Guarded, caller: Caller): void {
  const isAllowed =
    caller.kind === 'session'
      ? hasRole(operation, caller)
      : hasScope(operation, caller) || operation.tokens?.includes(caller.kind) === true;
  if (!isAllowed || (operation.noGuests === true && caller.isGuest)) throw forbidden(operation);
}

function hasScope(operation: Guarded, { scopes }: Caller): boolean {
  return scopesOf(operation).some(
    (scope) =>
      scopes.includes(scope) ||
      // Access data is ingested "additionally" (specification, section 2.2): that scope holds the
      // other.
      (scope === 'ingestion' && scopes.includes('ingestion:acl')),
  );
}

/** Whether the user of a session has the rights that the operation needs. */
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

function forbidden(operation: Guarded): Problem {
  const { id, auth, role, scope, tokens, noGuests } = operation;
  const scopes = scopesOf(operation).map((one) => `"${one}"`);
  const needed = [
    NEEDED[auth] && `${NEEDED[auth]}${noGuests === true ? ' who is no guest' : ''}`,
    role && `the role ${role}`,
    scopes.length > 0 && `a token with the scope ${scopes.join(' or ')}`,
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
