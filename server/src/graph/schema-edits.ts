import type { SchemaAlias } from '@trellis/contract/shapes/schema-document.ts';
import { dropped, restored, type SchemaDrop } from './schema-drop.ts';
import type { SchemaRegistry } from './schema-registry.ts';
import { renamed, type SchemaRename, withoutAlias } from './schema-rename.ts';
import { retyped, type SchemaRetype } from './schema-retype.ts';

/** One change of a schema that is in use. `by` is what its `restore` names it by. */
export type SchemaEdit =
  | { readonly rename: SchemaRename }
  | SchemaDrop
  | { readonly retype: SchemaRetype; readonly by: string }
  /** Takes a drop or a retype back. */
  | { readonly restore: string };

/** What a commit changes of the schema besides adding to it. It is one, whatever the data weigh. */
export interface SchemaEdits {
  readonly edits?: readonly SchemaEdit[] | undefined;
  readonly removedAliases?: readonly SchemaAlias[] | undefined;
}

/**
 * The schema after the edits, each of which sees the ones before it. Records stay as they are:
 * what was dropped is hidden, and what got another type is converted as it is read. Throws
 * `invalid_request` with `details` `{fields: [{path, message}]}`.
 */
export function editSchema(
  registry: SchemaRegistry,
  { edits = [], removedAliases = [] }: SchemaEdits,
): SchemaRegistry {
  let edited = registry;
  for (const [i, edit] of edits.entries()) edited = afterEdit(edited, edit, `changes[${i}]`);
  for (const alias of removedAliases) edited = withoutAlias(edited, alias);
  return edited;
}

function afterEdit(registry: SchemaRegistry, edit: SchemaEdit, path: string): SchemaRegistry {
  if ('rename' in edit) return renamed(registry, edit.rename, `${path}.rename`);
  if ('drop' in edit) return dropped(registry, edit, `${path}.drop`);
  if ('retype' in edit) return retyped(registry, edit.retype, edit.by, `${path}.retype`);
  return restored(registry, edit.restore, path);
}
