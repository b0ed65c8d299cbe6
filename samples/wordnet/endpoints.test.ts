import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { EndpointCompiler } from '../../server/src/runtime/compile/endpoint-compiler.ts';
import { wordnetSchema } from './schema.ts';

const folder = join(import.meta.dirname, 'endpoints');
const compiler = new EndpointCompiler();
/** A workspace soon has other types beside those of the sample. */
const grownSchema: SchemaDocument = {
  nodes: [...wordnetSchema.nodes, { type: 'Person', key: 'Name', fields: { Age: 'Int' } }],
  edges: [...wordnetSchema.edges, { type: 'Wrote', inverse: 'WrittenBy' }],
};

afterAll(() => compiler.close());

describe.each([
  ['alone', wordnetSchema],
  ['with other types', grownSchema],
])('sample endpoints, WordNet %s', (_, schema) => {
  it.each(readdirSync(folder))('%s compiles as read-only', async (file) => {
    const code = readFileSync(join(folder, file), 'utf8');
    expect(await compiler.check({ code, isReadOnly: true }, schema)).toEqual([]);
  });
});
