import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { ProposalItem } from '@trellis/contract/shapes/admin-agent.ts';
import type { JsonObject } from '../router/json-members.ts';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';

export const DEFINITION_KINDS = ['endpoint', 'tool', 'agent', 'schema', 'search-settings'] as const;
export type DefinitionKindName = (typeof DEFINITION_KINDS)[number];

export const CHANGE_ACTIONS = ['create', 'change', 'delete'] as const;
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];

/** One definition, and what to do with it. */
export interface DefinitionChange {
  readonly kind: DefinitionKindName;
  readonly name: string;
  readonly action: ChangeAction;
}

/**
 * A change as a model asks for it. Members that are left out of a changed definition stay as they
 * are.
 */
export interface WantedChange extends DefinitionChange {
  readonly definition: JsonObject | undefined;
}

/** A change with the definition before and after it; null where there is none. */
export interface ProposedChange extends DefinitionChange {
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

/** A finding about a change. Line and column are there only for code. */
export interface ProposalDiagnostic {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly code?: number;
}

/** What the agent wants to do; kept in its conversation until somebody approves or rejects it. */
export interface Proposal {
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  readonly summary: string;
  readonly items: readonly ProposalItem[];
  readonly isValid: boolean;
}

/** The effect of an approval. After a failure nothing more is done. */
export interface CommitOutcome {
  readonly committed: readonly (DefinitionChange & { readonly historyVersion: number | null })[];
  readonly failed:
    | (DefinitionChange & { readonly error: { readonly code: string; readonly message: string } })
    | null;
  readonly notCommitted: readonly DefinitionChange[];
}

export function changeOf({ kind, name, action }: DefinitionChange): DefinitionChange {
  return { kind, name, action };
}

export function isValid(items: readonly ProposalItem[]): boolean {
  return items.every(({ diagnostics }) => diagnostics.length === 0);
}

/** Such as: create the endpoint "words/lookup". */
export function inWords({ kind, name, action }: DefinitionChange): string {
  const what = kind === 'schema' || kind === 'search-settings' ? NAMED[kind] : `${kind} "${name}"`;
  return `${action} the ${what}`;
}

const NAMED = { schema: 'schema', 'search-settings': 'search settings' } as const;

/** The workspace as it will be with all proposed changes. */
export interface Outlook {
  readonly caller: Caller;
  readonly schema: SchemaDocument;
  readonly changes: readonly ProposedChange[];
}

/** Who approves, and from which address. */
export interface Approver {
  readonly caller: Caller;
  readonly address: string;
}

/** One kind of definition: how it is read, changed, checked and committed. */
export interface DefinitionKind {
  /** One sentence for the model: the members of a definition of this kind. */
  readonly description: string;
  list(caller: Caller): readonly { readonly name: string; readonly summary: string }[];
  /** Undefined when no definition has this name. */
  read(caller: Caller, name: string): JsonObject | undefined;
  /** Checks the change like a request. Throws `invalid_request`, and the problems of this kind. */
  propose(caller: Caller, wanted: WantedChange): ProposedChange;
  /** The value that `before` would have if the change were proposed now. */
  current(caller: Caller, change: ProposedChange): JsonObject | null;
  check(change: ProposedChange, outlook: Outlook): Promise<readonly ProposalDiagnostic[]>;
  /** Sentences that say where the change gives more access than before; empty where it does not. */
  widenedBy(change: ProposedChange): readonly string[];
  /**
   * Reads the definition and sends its commit in one turn of the event loop, so nothing changes in
   * between. Resolves with the version in the history of code, or null for kinds without one.
   */
  commit(by: Approver, change: ProposedChange): Promise<number | null>;
}

/**
 * Throws `invalid_request` when a definition to create exists, and when one to change or delete
 * does not exist.
 */
export function refuseMismatch(wanted: WantedChange, isThere: boolean): void {
  const { kind, name, action, definition } = wanted;
  if (action === 'create' && isThere) {
    throw invalidChange(`There is a definition of kind ${kind} with the name "${name}": change it`);
  }
  if (action !== 'create' && !isThere) {
    throw invalidChange(`There is no definition of kind ${kind} with the name "${name}"`);
  }
  if (action !== 'delete' && definition === undefined) {
    throw invalidChange(`The definition of the ${kind} "${name}" is missing`);
  }
}

export function invalidChange(message: string): Problem {
  return new Problem('invalid_request', message);
}
