import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '#access/caller.ts';
import { PROPOSAL_ITEMS_MAX } from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import { contentDiff } from '#runtime/history/unified-diff.ts';
import type { ProposalItem } from '@trellis/contract/shapes/admin-agent.ts';
import type { JsonObject } from '../router/json-members.ts';
import type { SchemaKind } from './kinds/schema-kind.ts';
import {
  changeOf,
  type DefinitionKind,
  type DefinitionKindName,
  invalidChange,
  inWords,
  type Outlook,
  type ProposedChange,
  type WantedChange,
} from './proposal.ts';

export type DefinitionKinds = Readonly<Record<DefinitionKindName, DefinitionKind>> & {
  readonly schema: SchemaKind;
};

/** Checks changes when they are proposed, and again when they are approved. It changes nothing. */
export class ProposalReview {
  readonly #kinds: DefinitionKinds;

  constructor(kinds: DefinitionKinds) {
    this.#kinds = kinds;
  }

  /**
   * Throws `invalid_request` and the problems of each kind; then nothing is proposed. A definition
   * that does not compile has diagnostics.
   */
  propose(caller: Caller, wanted: readonly WantedChange[]): Promise<ProposalItem[]> {
    if (wanted.length === 0) throw invalidChange('A proposal has at least one change');
    if (wanted.length > PROPOSAL_ITEMS_MAX) {
      throw invalidChange(`A proposal has at most ${PROPOSAL_ITEMS_MAX} changes`);
    }
    refuseTwice(wanted);
    const changes = wanted.map((change) => this.#kinds[change.kind].propose(caller, change));
    return this.#reviewed(caller, changes.map(asJson));
  }

  /**
   * Throws `version_conflict` when a definition has changed since this was proposed.
   */
  again(caller: Caller, items: readonly ProposedChange[]): Promise<ProposalItem[]> {
    for (const item of items) this.refuseChanged(caller, item);
    return this.#reviewed(
      caller,
      items.map(({ before, after, ...item }) => ({ ...changeOf(item), before, after })),
    );
  }

  /** Throws `version_conflict` when the definition of this change has changed since. */
  refuseChanged(caller: Caller, change: ProposedChange): void {
    const current = this.#kinds[change.kind].current(caller, change);
    if (isDeepStrictEqual(asJson({ ...change, before: current }).before, change.before)) return;
    const message = `Somebody has changed it since this was proposed: ${inWords(change)}.`;
    throw new Problem('version_conflict', message, {
      hint: 'Ask the agent to propose it again.',
      details: { ...changeOf(change) },
    });
  }

  async #reviewed(caller: Caller, changes: readonly ProposedChange[]): Promise<ProposalItem[]> {
    const schema = this.#kinds.schema.outlook(changes);
    const outlook: Outlook = { caller, schema, changes };
    const items: ProposalItem[] = [];
    // One after the other: the compiler has one process.
    for (const change of changes) {
      const kind = this.#kinds[change.kind];
      items.push({
        ...change,
        diff: contentDiff(change.name, contentOf(change.before), contentOf(change.after)),
        diagnostics: await kind.check(change, outlook),
        widensAccess: kind.widenedBy(change),
      });
    }
    return items;
  }
}

function refuseTwice(wanted: readonly WantedChange[]): void {
  const seen = new Set<string>();
  for (const { kind, name } of wanted) {
    const key = `${kind} ${name}`;
    if (seen.has(key)) throw invalidChange(`The ${kind} "${name}" is named twice`);
    seen.add(key);
  }
}

/** The code of a definition, and all its other members as settings. */
function contentOf(definition: JsonObject | null) {
  if (definition === null) return undefined;
  const { code = '', version: _version, ...settings } = definition;
  return { code: String(code), settings };
}

/** The change as it is stored: without undefined members. */
function asJson(change: ProposedChange): ProposedChange {
  return JSON.parse(JSON.stringify(change)) as ProposedChange;
}
