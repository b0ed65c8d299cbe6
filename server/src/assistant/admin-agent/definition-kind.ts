import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import type { SchemaDocument } from '#graph/schema.ts';
import type { JsonObject } from '../router/llm-call.ts';
import type { ProposalDiagnostic, ProposedChange, WantedChange } from './proposal.ts';

/** What the workspace will be like with all that is proposed. */
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

/** One kind of what administrators define: how it is read, changed, checked and committed. */
export interface DefinitionKind {
  /** In one sentence, for the model: what a definition of this kind has. */
  readonly description: string;
  list(caller: Caller): readonly { readonly name: string; readonly summary: string }[];
  /** Undefined when there is none of this name. */
  read(caller: Caller, name: string): JsonObject | undefined;
  /** Checked as a request would be. Throws `invalid_request`, and what the kind refuses with. */
  propose(caller: Caller, wanted: WantedChange): ProposedChange;
  /** As `before` of the change would be, were it proposed now. */
  current(caller: Caller, change: ProposedChange): JsonObject | null;
  check(change: ProposedChange, outlook: Outlook): Promise<readonly ProposalDiagnostic[]>;
  /** In sentences. */
  widenedBy(change: ProposedChange): readonly string[];
  /** Synchronous up to where it writes on what it has read. Resolves with the version in the history of code; null where there is none. */
  commit(by: Approver, change: ProposedChange): Promise<number | null>;
}

/** Throws `invalid_request` where there is something to be made already, or nothing to be changed or deleted. */
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
