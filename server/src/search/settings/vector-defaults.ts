import { SEARCH_CHUNK_CHARACTERS_DEFAULT } from '#base/search-limits.ts';
import { Problem } from '#base/problem.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { NodeTypeDocument } from '#graph/schema.ts';
import {
  isVector,
  type FieldSettings,
  type SearchSettings,
  type VectorSettings,
} from './search-settings.ts';

/** What made vectors that came with the nodes, where the settings do not say. */
const EXTERNAL_MODEL = 'external';

/**
 * The settings with what holds where they say nothing about a vector, so that another provider does not change what a field's
 * vectors are. Throws `invalid_request` when no model is known.
 */
export function withVectorDefaults(
  { types }: SearchSettings,
  reader: GraphReader,
  model: string | undefined,
): SearchSettings {
  const { nodes } = reader.schema();
  return {
    types: mapValues(types, (type, name) => {
      const schema = nodes.find((node) => node.type === name);
      const fields = mapValues(type.fields, (own, field): FieldSettings => {
        if (own.vector === undefined) return own;
        const path = `types.${name}.fields.${field}.vector`;
        return { ...own, vector: filled(own.vector, kindOf(schema, field), { model, path }) };
      });
      return { ...type, fields };
    }),
  };
}

function filled(
  vector: VectorSettings,
  kind: string,
  known: { readonly model: string | undefined; readonly path: string },
): VectorSettings {
  if (isVector(kind)) return { model: vector.model ?? EXTERNAL_MODEL };
  const model = vector.model ?? known.model;
  if (model === undefined) {
    const message = 'is missing, and there is no provider of embeddings to name one';
    throw new Problem('invalid_request', `body, ${known.path}.model: ${message}`, {
      hint: 'Configure a provider with PUT /api/chatai/providers, or name the model.',
      details: { fields: [{ path: `${known.path}.model`, message }] },
    });
  }
  return { model, chunk: vector.chunk ?? SEARCH_CHUNK_CHARACTERS_DEFAULT };
}

function kindOf(schema: NodeTypeDocument | undefined, field: string): string {
  return schema?.fields[field] ?? 'String';
}

function mapValues<V, W>(
  record: Readonly<Record<string, V>>,
  map: (value: V, name: string) => W,
): Record<string, W> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, map(value, name)]),
  );
}
