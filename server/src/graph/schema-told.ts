import {
  type EdgeType,
  HIDDEN,
  type NodeType,
  type SchemaRegistry,
  type SchemaWatch,
  storedEdgeType,
  storedNodeType,
} from './schema-registry.ts';

/** Tells `watch` all that differs from one schema to another. */
export function tellChanges(from: SchemaRegistry, to: SchemaRegistry, watch: SchemaWatch): void {
  const hidden = (types: readonly (NodeType | EdgeType)[]): string =>
    types.flatMap(({ id, dropped }) => (dropped === undefined ? [] : [id])).join(' ');
  if (hidden(from.nodeTypes) !== hidden(to.nodeTypes)) watch.nodeType(HIDDEN);
  if (hidden(from.edgeTypes) !== hidden(to.edgeTypes)) watch.edgeType(HIDDEN);
  const tell = <T extends { readonly name: string; readonly aliases: readonly string[] }>(
    types: readonly (readonly T[])[],
    stored: (type: T) => object,
    changed: (name: string, versions: readonly T[]) => void,
  ): void => {
    const versions = Map.groupBy(types.flat(), ({ name }) => name);
    for (const [name, each] of versions) {
      const texts = each.map((type) => JSON.stringify(stored(type)));
      if (texts.length === types.length && texts[0] === texts[1]) continue;
      // Who has named it by a former name has read it, too.
      for (const one of new Set([name, ...each.flatMap(({ aliases }) => aliases)])) {
        changed(one, each);
      }
    }
  };
  tell([from.nodeTypes, to.nodeTypes], storedNodeType, (name, versions) => {
    watch.nodeType(name);
    const fields = versions.flatMap(({ byName }) => [...byName.keys()]);
    for (const field of new Set(fields)) {
      const [before, after] = versions.map(({ byName }) => byName.get(field));
      if (before?.number !== after?.number || before?.tag !== after?.tag) watch.field(field);
    }
  });
  tell([from.edgeTypes, to.edgeTypes], storedEdgeType, (name) => watch.edgeType(name));
}
