import { describe, expect, it } from 'vitest';
import { mergeSchema } from './schema-merge.ts';
import { SchemaRegistry } from './schema-registry.ts';
import { SYSTEM_SCHEMA } from './system-schema.ts';
import { problemOf } from './testing/test-graph.ts';

describe('built-in types', () => {
  const asUser = { system: false };
  const system = mergeSchema(SchemaRegistry.empty, SYSTEM_SCHEMA, { system: true });

  it('are not added or changed by a caller', async () => {
    for (const document of [
      { nodes: [{ type: '_User', fields: { Mine: 'Int' as const } }], edges: [] },
      { nodes: [{ type: '_Mine', fields: {} }], edges: [] },
      { nodes: [], edges: [{ type: 'RestrictAccessToAnyone' }] },
      { nodes: [], edges: [{ type: 'Mine', inverse: '_Owns' }] },
      { nodes: [], edges: [{ type: 'Mine', inverse: '_Mine' }] },
      { nodes: [], edges: [{ type: 'Mine', inverse: 'RestrictAccessToUser' }] },
    ]) {
      const { code } = await problemOf(() => mergeSchema(system, document, asUser));
      expect(['invalid_request', 'schema_conflict']).toContain(code);
    }
  });

  it('may stand in a document that a caller read and sends back', () => {
    expect(mergeSchema(system, system.toDocument(), asUser)).toBe(system);
    const { nodes, edges } = system.toDocument();
    const more = mergeSchema(
      system,
      { nodes: [...nodes, { type: 'Word', fields: {} }], edges },
      asUser,
    );
    expect(more.nodeType('Word')).toBeDefined();
  });
});
