import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { findingsIn } from './extraction-answer.ts';
import { ExtractionTarget } from './extraction-target.ts';
import { Quotes } from './quotes.ts';

let graph: TestGraph;
let target: ExtractionTarget;
beforeAll(async () => {
  graph = await openTestGraph();
  await graph.addSchema({
    nodes: [
      { type: 'Person', key: 'Name', fields: { Born: 'Int', Cities: 'String[]', Seen: 'Time' } },
      { type: 'Ship', fields: { Tons: 'Double', Picture: 'Bytes' } },
    ],
    edges: [{ type: 'Sails' }],
  });
  target = new ExtractionTarget(graph.reader, { types: ['Person', 'Ship'], edges: ['Sails'] });
});
afterAll(() => graph[Symbol.asyncDispose]());

const TEXT = 'Ada Mole, born in 1901, sailed the “Aurora”, a ship of 1,200 tons.';

function findings(answer: unknown, target_ = target) {
  const said = typeof answer === 'string' ? answer : JSON.stringify(answer);
  return findingsIn(said, { text: TEXT, quotes: new Quotes(TEXT), target: target_ });
}

const ada = { type: 'Person', key: 'Ada Mole', fields: { Born: 1901 }, confidence: 0.9 };
const aurora = { type: 'Ship', key: 'Aurora', fields: { Tons: 1200 }, confidence: 0.8 };
const sails = {
  edge: 'Sails',
  from: { type: 'Person', key: 'Ada Mole' },
  to: { type: 'Ship', key: 'Aurora' },
  confidence: 1,
};

test('what fits the schema and stands in the text is found, around other words too', () => {
  const answer = {
    nodes: [
      { ...ada, quote: 'Ada Mole, born in 1901' },
      { ...aurora, quote: '"Aurora", a ship of 1,200 tons' },
    ],
    edges: [{ ...sails, quote: 'sailed the "Aurora"' }],
  };
  const found = findings(`Here it is:\n\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``);
  expect(found?.dropped).toEqual({ quote: 0, schema: 0 });
  expect(
    found?.found.map(({ kind, quote, offset, unquoted }) => [kind, quote, offset, unquoted]),
  ).toEqual([
    ['node', 'Ada Mole, born in 1901', 0, []],
    ['node', '“Aurora”, a ship of 1,200 tons', 35, []],
    ['edge', 'sailed the “Aurora”', 24, []],
  ]);
});

test('a value that its quote does not have is pointed at', () => {
  const found = findings({ nodes: [{ ...ada, fields: { Born: 1910 }, quote: 'born in 1901' }] });
  expect(found?.found[0]).toMatchObject({ unquoted: ['Born'] });
});

test.each<[string, object]>([
  ['another number', { ...ada, quote: 'born in 1902' }],
  ['words of its own', { ...ada, quote: 'Ada Mole was born in 1901' }],
  ['no quote', { ...ada, quote: '...' }],
])('a quote with %s drops the proposal', (_what, node) => {
  expect(findings({ nodes: [node] })).toEqual({ found: [], dropped: { quote: 1, schema: 0 } });
});

const quote = 'born in 1901';
test.each<[string, unknown]>([
  ['a type that is not chosen', { ...ada, type: '_User', quote }],
  ['a field that the type lacks', { ...ada, fields: { Salary: 1 }, quote }],
  ['a value of another type', { ...ada, fields: { Born: '1901' }, quote }],
  ['a number out of range', { ...ada, fields: { Born: 2 ** 40 }, quote }],
  ['what is no time', { ...ada, fields: { Seen: 'in May' }, quote }],
  ['a field that no text has', { ...aurora, fields: { Picture: 'AA==' }, quote }],
  ['no key', { ...ada, key: ' ', quote }],
  ['a key that is too long', { ...ada, key: 'x'.repeat(10_000), quote }],
  ['a confidence that is none', { ...ada, confidence: 7, quote }],
  ['a prototype', JSON.parse(`{"type":"__proto__","key":"x","confidence":1,"quote":"${quote}"}`)],
  ['no object', 7],
  ['values as long as a book', { ...ada, fields: { Cities: ['x'.repeat(50_000)] }, quote }],
])('%s drops the proposal', (_what, node) => {
  expect(findings({ nodes: [node], edges: [] })).toEqual({
    found: [],
    dropped: { quote: 0, schema: 1 },
  });
});

test('edges of other types, and to other types, are dropped; what has no value is left out', () => {
  const answer = {
    nodes: [{ ...ada, fields: { Born: null }, quote }],
    edges: [
      { ...sails, edge: 'RestrictAccessToUser', quote },
      { ...sails, to: { type: '_User', key: 'ada' }, quote },
    ],
  };
  expect(findings(answer)).toMatchObject({ found: [{ fields: {} }], dropped: { schema: 2 } });
});

test.each(['', 'I cannot do that.', '{"nodes": 7}', '[1', '{"nodes":[}'])(
  '%j is no answer',
  (said) => {
    expect(findings(said)).toBeUndefined();
  },
);

test('only so many proposals of one batch are kept', () => {
  const nodes = Array.from({ length: 150 }, (_, i) => ({ ...ada, key: `p${i}`, quote }));
  const found = findings({ nodes: [...nodes, nodes[0]] });
  expect([found?.found.length, found?.dropped.schema]).toEqual([100, 51]);
});

test('an answer of many megabytes is not read to its end', () => {
  const nodes = Array.from({ length: 50_000 }, () => ({ ...ada, quote: 'said by nobody' }));
  const edges = Array.from({ length: 50_000 }, () => 'no edge');
  const found = findings({ nodes, edges });
  expect(found).toMatchObject({ found: [], dropped: { quote: 1_000, schema: 99_000 } });
});

test('a value that is nested without end is dropped', () => {
  const said = JSON.stringify({
    nodes: [
      { ...ada, quote },
      { ...ada, fields: { Born: 7777 }, quote },
    ],
  });
  const deep = said.replace('7777', `${'['.repeat(100_000)}1${']'.repeat(100_000)}`);
  expect(findings(deep)).toMatchObject({ found: [{ key: 'Ada Mole' }], dropped: { schema: 1 } });
});

test('a part of a word or of a number does not prove a value', () => {
  const nodes = [{ ...ada, fields: { Born: 190, Cities: ['ora', ''] }, quote: 'born in 1901' }];
  expect(findings({ nodes })).toMatchObject({ found: [{ unquoted: ['Born', 'Cities'] }] });
});

test.each([
  [{ types: ['_User'], edges: [] }, 'types.0'],
  [{ types: ['Nobody'], edges: [] }, 'types.0'],
  [{ types: ['Person'], edges: ['RestrictAccessToTeam'] }, 'edges.0'],
  [{ types: ['Person'], edges: ['_Owns'] }, 'edges.0'],
])('%j is refused', (chosen, path) => {
  expect(() => new ExtractionTarget(graph.reader, chosen)).toThrow(path);
});
