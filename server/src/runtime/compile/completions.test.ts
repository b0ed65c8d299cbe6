import { afterAll, describe, expect, it } from 'vitest';
import { EDITOR_COMPLETION_DETAILS_MAX, EDITOR_COMPLETIONS_MAX } from '#base/limits.ts';
import { inEndpoint, placeIn, WORDS } from '../testing/code-place.ts';
import { EndpointCompiler } from './endpoint-compiler.ts';
import type { CodePlace } from './endpoint-compiler.ts';

const compiler = new EndpointCompiler();
afterAll(() => compiler.close());

async function labels(place: CodePlace, schema = WORDS): Promise<string[]> {
  const { items } = await compiler.completions(place, schema);
  return items.map(({ label }) => label);
}

describe('completion', () => {
  const nodeTypes = ['Synset', 'Word'];
  const wordFields = ['Count', 'Id', 'Lemma', 'Pos', 'Timestamp', 'UID'];
  it.each([
    ['node types', "q().startAt('|')", nodeTypes],
    ['node types, in a text that goes on', "await q().startAt('|", nodeTypes],
    ['node types, over what is written', "graph.get('Wo|rd')", nodeTypes],
    ['edge types', "q().startAt('Word').out('Synset', '|')", ['HasSense', 'SenseOf']],
    ['fields', "q().startAt('Word').where('|", wordFields],
    ['fields, before other errors', "q().startAt('Word').sortBy('|');\nconst = = 1;", wordFields],
    ['directions', "q().startAt('Word').sortBy('Pos', '|')", ['asc', 'desc']],
    ['members of the body', 'body.|', ['word']],
    ['members in a template', 'log.info(`😀 ${body.|}`)', ['word']],
    ['members, in an unfinished condition', 'if (body.|', ['word']],
    ['nothing in a comment', '// body.|', []],
    ['nothing in a text', "'body.|'", []],
  ])('offers %s', async (_, statements, expected) => {
    expect(await labels(inEndpoint(statements))).toEqual(expected);
  });

  it('offers fields to write that are not written yet', async () => {
    const place = inEndpoint("graph.addOrUpdate('Word', 'a', { Count: 1, | })");
    expect((await compiler.completions(place, WORDS)).items).toContainEqual(
      expect.objectContaining({ label: 'Pos?', insertText: 'Pos', kind: 'field' }),
    );
    expect(await labels(place)).not.toContain('Count?');
  });

  it('offers what can be named, the nearest first, and nothing that is refused', async () => {
    const { items, isIncomplete } = await compiler.completions(
      inEndpoint('const mine = 1;\nm|'),
      WORDS,
    );
    const found = items.map(({ label }) => label);
    expect(isIncomplete).toBe(false);
    expect(found.slice(0, 6)).toEqual(['arguments', 'body', 'graph', 'log', 'mine', 'q']);
    expect(found).toEqual(expect.arrayContaining(['Math', 'const', 'return', 'z']));
    for (const refused of ['eval', 'Function', 'import', 'enum', 'console', 'process', 'fetch']) {
      expect(found).not.toContain(refused);
    }
    const types = await labels(inEndpoint('const node: |'));
    expect(types).toEqual(expect.arrayContaining(['WordNode', 'Scope', 'Promise']));
  });

  it.each([')|m<(', ']|m<[', '}|m<{', 'f(a)|; if (a < b) {}\nf(', '{ a }\n|if (a < b) {'])(
    'comes to an end in %s',
    async (code) => {
      expect(await labels(placeIn(code))).toContain('Math');
    },
  );

  it('says what each is', async () => {
    const { items } = await compiler.completions(inEndpoint('graph.tr|'), WORDS);
    expect(items.find(({ label }) => label === 'tryGet')).toEqual({
      label: 'tryGet',
      kind: 'method',
      detail: expect.stringContaining('Promise<NodeOf<T> | null>'),
      documentation: 'The node with this key, or null.',
      sortText: expect.any(String),
    });
  });

  it('offers members of zod without a word of its modules', async () => {
    const place = placeIn('export const input = z.|');
    const { items } = await compiler.completions(place, WORDS);
    expect(items.map(({ label }) => label)).toEqual(expect.arrayContaining(['object', 'string']));
    expect(JSON.stringify(items)).not.toContain('import(');
  });

  it('knows the schema of the moment, and both scopes', async () => {
    const place = inEndpoint("q().startAt('|')");
    const nodes = [...WORDS.nodes, { type: 'Book', fields: {} }];
    expect(await labels(place, { ...WORDS, nodes })).toEqual(['Book', ...nodeTypes]);
    expect(await labels(place)).toEqual(nodeTypes);
    const kindOf = async (isReadOnly: boolean) => {
      const { items } = await compiler.completions(inEndpoint('graph.|', isReadOnly), WORDS);
      return items.find(({ label }) => label === 'update')?.kind;
    };
    expect([await kindOf(false), await kindOf(true)]).toEqual(['method', 'field']);
  });

  it('offers no more than anybody reads, and those that begin with what is written', async () => {
    const many = EDITOR_COMPLETIONS_MAX + 1;
    const nodes = Array.from({ length: many }, (_, i) => ({ type: `Type${i}`, fields: {} }));
    const schema = { nodes: [...nodes, { type: 'Zebra', fields: {} }], edges: [] };
    const all = await compiler.completions(inEndpoint("q().startAt('|')"), schema);
    expect(all).toMatchObject({ isIncomplete: true });
    expect(all.items).toHaveLength(EDITOR_COMPLETIONS_MAX);
    const some = await compiler.completions(inEndpoint("q().startAt('ze|')"), schema);
    expect(some).toMatchObject({ isIncomplete: true, items: [{ label: 'Zebra' }] });
    const names = await compiler.completions(inEndpoint('const t: |'), schema);
    const detailed = names.items.filter((item) => 'detail' in item || 'documentation' in item);
    expect(detailed.length).toBeLessThanOrEqual(EDITOR_COMPLETION_DETAILS_MAX);
  });
});
