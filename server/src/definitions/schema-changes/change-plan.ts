import type { SchemaChange, SchemaChangeMade } from '@trellis/contract/shapes/schema-change.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { SchemaEdit } from '#graph/schema-edits.ts';
import type { SchemaPlace, SchemaRename } from '#graph/schema-rename.ts';
import type { SchemaRetype } from '#graph/schema-retype.ts';

/** A change that names its type, or its edge type. */
export type PlannedChange =
  | { readonly rename: SchemaRename }
  | { readonly retype: SchemaRetype }
  | { readonly drop: SchemaPlace };

/** A field alone is one of a node type, `Type.Field`, unless only an edge type has the name. */
export function planned(change: SchemaChange, { nodes, edges }: SchemaDocument): PlannedChange {
  const placeOf = (given: string): SchemaPlace => {
    const [owner = '', ...rest] = given.split('.');
    const field = rest.join('.');
    const isEdge =
      edges.some(({ type }) => type === owner) && !nodes.some(({ type }) => type === owner);
    return isEdge ? { edge: owner, field } : { type: owner, field };
  };
  if ('rename' in change) {
    const { rename } = change;
    if ('type' in rename || 'edge' in rename) return { rename };
    return { rename: { ...placeOf(rename.field), to: rename.to } };
  }
  if ('retype' in change) {
    const { retype } = change;
    if ('type' in retype) return { retype };
    const [type = '', ...rest] = retype.field.split('.');
    return { retype: { type, field: rest.join('.'), to: retype.to } };
  }
  const { drop } = change;
  return { drop: 'type' in drop || 'edge' in drop ? drop : placeOf(drop.field) };
}

/** How edits are told apart: by the change and the place in it. */
export function editName(id: string, index: number): string {
  return `${id}/${index}`;
}

/** As a record and an answer show it. */
export function shown(change: PlannedChange): SchemaChangeMade {
  // Undefined members are no JSON.
  return JSON.parse(JSON.stringify(change)) as SchemaChangeMade;
}

/** The edits of a commit. `edges`: of each type that is dropped, how many edges its nodes have. */
export function editsOf(
  changes: readonly PlannedChange[],
  id: string,
  edges: ReadonlyMap<number, Readonly<Record<string, number>>>,
): readonly SchemaEdit[] {
  return changes.map((change, i): SchemaEdit => {
    if ('rename' in change) return change;
    const by = editName(id, i);
    return 'drop' in change ? { ...change, by, edges: edges.get(i) } : { ...change, by };
  });
}

/**
 * The names of now for what changes name: each change may name things as the ones before it in the
 * same request have named them.
 */
export class NamesOfNow {
  /** `kind name` -> its name of now. */
  readonly #former = new Map<string, string>();

  owner(kind: 'type' | 'edge', name: string): string {
    return this.#former.get(`${kind} ${name}`) ?? name;
  }

  /** `owner` is the name of now. */
  field(kind: 'type' | 'edge', owner: string, name: string): string {
    return this.#former.get(`${kind} ${owner}.${name}`) ?? name;
  }

  take({ type, edge, field, to }: SchemaRename): void {
    const kind = type === undefined ? 'edge' : 'type';
    const owner = this.owner(kind, type ?? edge);
    if (field === undefined) this.#former.set(`${kind} ${to}`, owner);
    else this.#former.set(`${kind} ${owner}.${to}`, this.field(kind, owner, field));
  }
}
