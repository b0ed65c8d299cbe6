import { expect, test } from 'vitest';
import { sampleBody } from './sample-body.ts';

const object = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
});

test.each([
  [null, ''],
  [{}, ''],
  [{ type: 'string' }, ''],
  [{ type: ['object', 'null'], properties: {} }, {}],
  [
    object({ a: { type: 'string' }, b: { type: 'number' }, c: { type: 'integer', default: 3 } }, [
      'a',
    ]),
    { a: '', c: 3 },
  ],
  [
    object({ n: { type: 'integer', minimum: 1 }, u: { enum: ['x', 'y'] }, k: { const: 7 } }, [
      'n',
      'u',
      'k',
    ]),
    { n: 1, u: 'x', k: 7 },
  ],
  [
    object({ any: {}, either: { anyOf: [{ type: 'boolean' }, { type: 'null' }] } }, [
      'any',
      'either',
    ]),
    { any: null, either: false },
  ],
  [
    {
      $ref: '#/$defs/Tree',
      $defs: {
        Tree: object({ kids: { type: 'array', items: { $ref: '#/$defs/Tree' } } }, ['kids']),
      },
    },
    { kids: [] },
  ],
  [{ type: 'array', prefixItems: [{ type: 'string' }, {}], minItems: 1 }, ['']],
])('the sample of %j', (schema, sample) => {
  const text = sampleBody(schema);
  expect(text === '' ? '' : (JSON.parse(text) as unknown)).toEqual(sample);
});

test('ends where a type needs itself', () => {
  const Endless = object({ next: { $ref: '#/$defs/Endless' } }, ['next']);
  expect(sampleBody({ $ref: '#/$defs/Endless', $defs: { Endless } }).length).toBeLessThan(1_000);
});
