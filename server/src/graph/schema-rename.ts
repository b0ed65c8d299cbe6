import type { SchemaAlias } from '@trellis/contract/shapes/schema-document.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { SCHEMA_ALIASES_PER_NAME_MAX } from '@trellis/contract/limits.ts';
import {
  didYouMean,
  faultOfName,
  isSystemName,
  RESERVED_EDGE_FIELD_NAMES,
  RESERVED_FIELD_NAMES,
  shorten,
} from './names.ts';
import { storedIndex } from './indexes/field-index.ts';
import type { Field } from './schema-fields.ts';
import {
  compileEdgeType,
  compileNodeType,
  type EdgeType,
  type NodeType,
  SchemaRegistry,
} from './schema-registry.ts';

/** What has a name: a type, an edge type, or a field of either. */
export type SchemaPlace = { readonly field?: string | undefined } & (
  | { readonly type: string; readonly edge?: undefined }
  | { readonly edge: string; readonly type?: undefined }
);

export type SchemaRename = SchemaPlace & { readonly to: string };

/**
 * The schema with another name. Numbers stay, and so do records, indexes and UIDs. The name before
 * becomes an alias; what takes an alias of its own as its name again loses that alias. Throws
 * `invalid_request` with `details` `{fields: [{path, message}]}`.
 */
export function renamed(
  registry: SchemaRegistry,
  rename: SchemaRename,
  path: string,
): SchemaRegistry {
  const { to, field } = rename;
  const fault = faultOfName(to);
  if (fault !== undefined) throw fail(`${path}.to`, fault);
  if (rename.type !== undefined) {
    const type = ownType(registry, rename.type, path);
    if (field !== undefined) return replaced(registry, renamedField(type, field, to, path));
    checkName(to, registry.nodeType(to), type, `${path}.to`);
    const aliases = aliasesAfter(type, to, path);
    return replaced(registry, compileNodeType({ ...stored(type), name: to, aliases }));
  }
  const edge = ownEdge(registry, rename.edge, path);
  if (field !== undefined) {
    // A link gives both edges of a pair the fields that they have in common: by name.
    const has = (one: EdgeType): boolean => one.fields.some(({ name }) => name === field);
    const inverse = registry.edgeType(edge.inverse ?? '');
    if (inverse !== undefined && !has(inverse) && inverse.byName.has(to)) {
      throw fail(`${path}.to`, `"${to}" is a field of the inverse, ${inverse.name}`);
    }
    return withEdges(registry, (one) =>
      one === edge || (one === inverse && has(one))
        ? { ...one, fields: renamedFields(one, field, to, RESERVED_EDGE_FIELD_NAMES, path) }
        : one,
    );
  }
  checkName(to, registry.edgeType(to), edge, `${path}.to`);
  const aliases = aliasesAfter(edge, to, path);
  return withEdges(registry, (one) => ({
    ...one,
    ...(one === edge ? { name: to, aliases } : {}),
    // One that was dropped may have had an edge type of this name as its inverse.
    inverse: one.inverse === edge.name && one.dropped === undefined ? to : one.inverse,
  }));
}

function renamedField(type: NodeType, field: string, to: string, path: string): NodeType {
  const { key, keyAliases, timestamp, label } = type;
  const replace = (name: string | undefined): string | undefined => (name === field ? to : name);
  const roles = { timestamp: replace(timestamp), label: replace(label) };
  if (field !== key) {
    const fields = renamedFields(type, field, to, RESERVED_FIELD_NAMES, path);
    return compileNodeType({ ...stored(type), ...roles, fields });
  }
  checkFieldName(to, RESERVED_FIELD_NAMES, path, 'Id');
  const known = type.byName.get(to);
  if (known !== undefined && !keyAliases.includes(to)) throw fail(`${path}.to`, taken(to));
  // Every node shows its key as `Id` anyway, which needs no alias.
  const former = field === 'Id' ? keyAliases : [...keyAliases, field];
  const aliases = former.filter((one) => one !== to);
  checkAliases(aliases, path);
  const keyOrigin = type.keyOrigin ?? field;
  return compileNodeType({ ...stored(type), ...roles, key: to, keyOrigin, keyAliases: aliases });
}

function renamedFields(
  type: Pick<NodeType | EdgeType, 'name' | 'fields' | 'byName'>,
  name: string,
  to: string,
  reserved: ReadonlySet<string>,
  path: string,
): readonly Field[] {
  const { fields, byName } = type;
  const field = ownField(type, name, path);
  checkFieldName(to, reserved, path);
  checkName(to, byName.get(to), { ...field, aliases: field.aliases ?? [] }, `${path}.to`);
  const aliases = [...(field.aliases ?? []), name].filter((one) => one !== to);
  checkAliases(aliases, path);
  const origin = field.origin ?? name;
  return fields.map((one) => (one === field ? { ...field, name: to, aliases, origin } : one));
}

export function ownField(
  { name: owner, fields }: Pick<NodeType | EdgeType, 'name' | 'fields'>,
  name: string,
  path: string,
): Field {
  const field = fields.find((one) => one.name === name);
  if (field !== undefined) return field;
  const names = fields.map((one) => one.name);
  const message = `"${shorten(name)}" is not a field of ${owner}`;
  throw fail(`${path}.field`, message, didYouMean(name, names).hint);
}

export function withoutAlias(registry: SchemaRegistry, named: SchemaAlias): SchemaRegistry {
  const { field, alias } = named;
  const aliases = without(alias);
  if ('type' in named) {
    const type = registry.nodeType(named.type);
    if (type === undefined) throw noAlias(alias);
    const { fields, keyAliases } = type;
    const change =
      field === undefined
        ? { aliases: aliases(type.aliases) }
        : field === type.key
          ? { keyAliases: aliases(keyAliases) }
          : { fields: fieldsWithout(fields, field, alias) };
    return replaced(registry, compileNodeType({ ...stored(type), ...change }));
  }
  const edge = registry.edgeType(named.edge);
  if (edge === undefined) throw noAlias(alias);
  const change =
    field === undefined
      ? { aliases: aliases(edge.aliases) }
      : { fields: fieldsWithout(edge.fields, field, alias) };
  return withEdges(registry, (one) => (one === edge ? { ...one, ...change } : one));
}

function fieldsWithout(fields: readonly Field[], name: string, alias: string): readonly Field[] {
  if (!fields.some((field) => field.name === name)) throw noAlias(alias);
  return fields.map((field) =>
    field.name === name ? { ...field, aliases: without(alias)(field.aliases ?? []) } : field,
  );
}

function without(alias: string): (aliases: readonly string[]) => readonly string[] {
  return (aliases) => {
    if (!aliases.includes(alias)) throw noAlias(alias);
    return aliases.filter((one) => one !== alias);
  };
}

function noAlias(alias: string): Problem {
  return new Problem('schema_alias_not_found', `"${shorten(alias)}" is not an alias of that`, {
    hint: 'The aliases that there are stand in "aliases" of GET /api/schema.',
  });
}

export function ownType(registry: SchemaRegistry, name: string, path: string): NodeType {
  const type = registry.nodeType(name);
  const at = `${path}.type`;
  if (type === undefined || type.name !== name) {
    throw unknownName(at, name, type?.name, registry.nodeTypeNames(), 'a node type');
  }
  if (isSystemName(name)) throw fail(at, BUILT_IN);
  return type;
}

export function ownEdge(registry: SchemaRegistry, name: string, path: string): EdgeType {
  const edge = registry.edgeType(name);
  const at = `${path}.edge`;
  if (edge === undefined || edge.name !== name) {
    throw unknownName(at, name, edge?.name, registry.edgeTypeNames(), 'an edge type');
  }
  if (isSystemName(name)) throw fail(at, BUILT_IN);
  return edge;
}

const BUILT_IN = 'built-in types stay as they are';

export function unknownName(
  path: string,
  name: string,
  present: string | undefined,
  names: Iterable<string>,
  what: string,
): Problem {
  if (present !== undefined) return fail(path, `"${name}" was renamed: it is "${present}" now`);
  const own = [...names].filter((one) => !isSystemName(one));
  return fail(path, `"${shorten(name)}" is not ${what}`, didYouMean(name, own).hint);
}

/** `found` is what has the new name, or had it. */
function checkName(
  to: string,
  found: { readonly name: string } | undefined,
  own: { readonly name: string; readonly aliases: readonly string[] },
  path: string,
): void {
  if (isSystemName(to)) {
    throw fail(path, 'names that begin with an underscore or RestrictAccessTo are the server’s');
  }
  if (found === undefined || own.aliases.includes(to)) return;
  if (found.name !== to) {
    const hint = 'Remove the alias with DELETE /api/schema/aliases first.';
    throw fail(path, `"${to}" is a former name of "${found.name}"`, hint);
  }
  throw fail(path, found.name === own.name ? 'it has this name already' : taken(to));
}

function taken(to: string): string {
  return `"${to}" is taken`;
}

function checkFieldName(
  to: string,
  reserved: ReadonlySet<string>,
  path: string,
  exception?: string,
): void {
  if (!reserved.has(to) || to === exception) return;
  throw fail(`${path}.to`, 'this name is reserved: every record shows it already');
}

function aliasesAfter(
  { name, aliases }: { readonly name: string; readonly aliases: readonly string[] },
  to: string,
  path: string,
): readonly string[] {
  const after = [...aliases, name].filter((one) => one !== to);
  checkAliases(after, path);
  return after;
}

function checkAliases(aliases: readonly string[], path: string): void {
  if (aliases.length <= SCHEMA_ALIASES_PER_NAME_MAX) return;
  const message = `at most ${SCHEMA_ALIASES_PER_NAME_MAX} former names are kept`;
  throw fail(path, message, 'Remove some with DELETE /api/schema/aliases first.');
}

export function fail(path: string, message: string, hint?: string): Problem {
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    ...(hint === undefined ? {} : { hint }),
    details: { fields: [{ path, message }] },
  });
}

export function stored(type: NodeType): Parameters<typeof compileNodeType>[0] {
  return { ...type, indexes: type.indexes.map(storedIndex) };
}

export function replaced(registry: SchemaRegistry, type: NodeType): SchemaRegistry {
  must(registry.nodeTypes[type.id - 1], 'the type that is changed');
  return registry.with({
    nodeTypes: registry.nodeTypes.map((one) => (one.id === type.id ? type : one)),
  });
}

export function withEdges(
  registry: SchemaRegistry,
  change: (edge: EdgeType) => Omit<EdgeType, 'access' | 'byName' | 'byNumber'>,
): SchemaRegistry {
  const edges = registry.edgeTypes.map((edge) => compileEdgeType(change(edge)));
  return new SchemaRegistry(registry.nodeTypes, edges, registry.indexNumbers);
}
