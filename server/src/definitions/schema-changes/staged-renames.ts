import type { SchemaRenames } from '@trellis/contract/shapes/schema-change.ts';
import type { AuditTrail, Doer } from '#access/audit-event.ts';
import { editSchema } from '#graph/schema-edits.ts';
import type { SchemaRegistry } from '#graph/schema-registry.ts';
import type { SchemaRename } from '#graph/schema-rename.ts';
import type { Staging } from '#graph/staged-commits.ts';
import { changeRequest, newId } from './change-commit.ts';
import { planned, shown } from './change-plan.ts';

type GivenRename = SchemaRenames['renames'][number];

export interface RenamesParts {
  readonly audit: AuditTrail;
  /** At the commit of the reader. */
  readonly registry: () => SchemaRegistry;
  /** Called once the one commit is made. */
  readonly onChanged: () => Promise<void>;
}

/** Renames of the schema as a part of a larger commit, which an import of definitions makes. */
export class StagedRenames {
  readonly #staging: Staging;
  readonly #parts: RenamesParts;

  constructor(staging: Staging, parts: RenamesParts) {
    this.#staging = staging;
    this.#parts = parts;
  }

  /**
   * Those that are still to be made, in their order, by the names of now: the others were made
   * before, or there is nothing here that has the former name. Throws `invalid_request` for a new
   * name that is taken.
   */
  due(given: readonly GivenRename[]): readonly SchemaRename[] {
    this.#staging.reader.refresh();
    let registry = this.#parts.registry();
    const due: SchemaRename[] = [];
    for (const one of given) {
      const change = planned({ rename: one }, registry.toDocument());
      const rename = 'rename' in change ? dueIn(registry, change.rename) : undefined;
      if (rename === undefined) continue;
      due.push(rename);
      registry = editSchema(registry, { edits: [{ rename }] });
    }
    return due;
  }

  async rename(by: Doer, renames: readonly SchemaRename[]): Promise<void> {
    const { reader, commits, afterwards } = this.#staging;
    const { audit, onChanged } = this.#parts;
    const changes = renames.map((rename) => ({ rename }));
    const request = changeRequest({ reader, audit }, by, {
      id: newId(),
      edits: changes,
      settings: changes,
      record: { changes: changes.map(shown), forced: true, undoes: null, undoneBy: null },
    });
    await commits.commit(request);
    afterwards(onChanged);
  }
}

/** By the owner's name of now. Undefined when nothing has the name before. */
function dueIn(registry: SchemaRegistry, rename: SchemaRename): SchemaRename | undefined {
  const { type, edge, field, to } = rename;
  const owner = type === undefined ? registry.edgeType(edge) : registry.nodeType(type);
  if (owner === undefined) return undefined;
  const named = type === undefined ? { edge: owner.name } : { type: owner.name };
  if (field === undefined) return owner.name === (type ?? edge) ? { ...named, to } : undefined;
  const isKey = 'key' in owner && owner.key === field;
  const isThere = isKey || owner.fields.some(({ name }) => name === field);
  return isThere ? { ...named, field, to } : undefined;
}
