import type { StoredEndpoint } from '../endpoint-store.ts';
import type { StoredMigration } from '../migrations/migration.ts';
import type { Diagnostic } from './diagnostic.ts';

/** Code of the workspace that is checked against its schema, whatever it is the code of. */
export interface CheckedCode {
  readonly kind: 'endpoint' | 'migration';
  readonly uid: string;
  readonly name: string;
  /** Another one for every version of it. */
  readonly identity: string;
  readonly code: string;
  readonly isReadOnly: boolean;
  /** Of its saving. */
  readonly diagnostics: readonly Diagnostic[];
}

export function checkedEndpoint({ definition, identity }: StoredEndpoint): CheckedCode {
  const { UID: uid, name, code, isReadOnly, diagnostics } = definition;
  return { kind: 'endpoint', uid, name, identity, code, isReadOnly, diagnostics };
}

/** How it ran is stored with it: only its version says whether its code is another one. */
export function checkedMigration(migration: StoredMigration): CheckedCode {
  const { UID: uid, name, code, version, diagnostics } = migration;
  const identity = `${uid}.${version}`;
  return { kind: 'migration', uid, name, identity, code, isReadOnly: false, diagnostics };
}
