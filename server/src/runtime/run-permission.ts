import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import { notFound } from './endpoint-definitions.ts';
import type { StoredEndpoint } from './endpoint-store.ts';

/**
 * Why this caller may not run this endpoint on this server: `forbidden`, `read_only_replica`,
 * `endpoint_not_compiled`; undefined when they may. That one for administrators exists is for
 * administrators to know: others get what they would get without it.
 */
export function refusalOf(
  { definition, servingCode }: StoredEndpoint,
  caller: Caller,
  isReplica: boolean,
): Problem | undefined {
  const { name, access, isReadOnly } = definition;
  if (access === 'admins' && !isAdminOf(isReadOnly, caller)) {
    if (!isAdminOf(true, caller)) return notFound(name);
    return new Problem('forbidden', `Only administrators may call the endpoint "${name}"`, {
      details: { role: isReadOnly ? 'admin' : 'admin-write' },
    });
  }
  if (isReplica && !isReadOnly) {
    return new Problem('read_only_replica', `The endpoint "${name}" is not marked Read Only`);
  }
  if (servingCode === undefined) {
    return new Problem('endpoint_not_compiled', `The endpoint "${name}" does not compile`);
  }
  return undefined;
}

/**
 * Whether code is for this caller that is for administrators: what it writes, somebody who only
 * reads must not have written.
 */
export function isAdminOf(isReadOnly: boolean, { isAdmin, isReadOnlyAdmin }: Caller): boolean {
  return isReadOnly ? isAdmin || isReadOnlyAdmin : isAdmin && !isReadOnlyAdmin;
}

/** To code that was offered as a reader. */
export function onlyReads(): Problem {
  return new Problem('forbidden', 'Only what reads was offered here: runOnPrimary() is refused');
}

/** To code that is listed as one that does not call it. */
export function unnamedPrimary(): Problem {
  return new Problem('forbidden', 'The code does not name runOnPrimary(): it is refused', {
    hint: 'Write the name out, so that the list of endpoints tells that it may be called.',
  });
}
