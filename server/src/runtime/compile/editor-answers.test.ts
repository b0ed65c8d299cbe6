import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { inEndpoint, placeIn, WORDS } from '../testing/code-place.ts';
import { positionAt } from './diagnostics.ts';
import { EndpointCompiler, type CodePlace } from './endpoint-compiler.ts';
import { TypeChecker } from './type-checker.ts';

const compiler = new EndpointCompiler();
afterAll(() => compiler.close());

const hover = (statements: string) => compiler.hover(inEndpoint(statements), WORDS);
const contents = async (statements: string) => (await hover(statements))?.contents;
const help = (statements: string) => compiler.signatureHelp(inEndpoint(statements), WORDS);

describe('hover', () => {
  it('tells the type of a name, what is said of it, and where it is', async () => {
    expect(await hover("const w = await graph.get('Word', 'a');\nw.Co|unt")).toEqual({
      contents: 'Count: number | undefined',
      documentation: 'Int: 32 bits.',
      range: { start: { line: 3, column: 3 }, end: { line: 3, column: 8 } },
    });
  });

  it.each([
    [
      "q().start|At('Word')",
      'startAt(type: "Word", keys?: string | readonly string[]): Query<WordNode>',
    ],
    ["q|().startAt('Word')", 'q(): QueryStart'],
    ["const w| = await graph.get('Word', 'a')", 'w: WordNode'],
    ["|graph.get('Word', 'a', ", 'graph: Graph'],
    ['let w: Word|Node', 'interface WordNode'],
    ['let s: Sc|ope', 'interface Scope<Body>'],
    ['type Mine = { a: 1 }; let m: Min|e', 'type Mine = { a: 1; }'],
    ['const f = (a: number) => a; f|(1)', 'f(a: number): number'],
    ['class A { #b = 1; c() { return this.#|b } }', '#b: number'],
  ])('%s', async (statements, expected) => {
    expect(await contents(statements)).toBe(expected);
  });

  it.each(["'a|b'", 'retu|rn 1', '1 + | 2', '// gra|ph', 'nothing|Known', '|'])(
    'has nothing to say of %s',
    async (statements) => {
      expect(await hover(statements)).toBeNull();
    },
  );
});

describe('signature help', () => {
  const startAt = {
    label: 'startAt(type: "Word", keys?: string | readonly string[]): Query<WordNode>',
    parameters: [{ label: 'type: "Word"' }, { label: 'keys?: string | readonly string[]' }],
    documentation: expect.stringMatching(/^All nodes of a type, newest first/),
  };
  it.each([
    ['the first parameter', "q().startAt('Wo|rd')", 0],
    ['the second, not written yet', "await q().startAt('Word', |\nconst x = 1;", 1],
    ['the second, in the middle of a call', "q().startAt('Word', ['a', |]).nodes()", 1],
  ])('points at %s', async (_, statements, activeParameter) => {
    const answer = await help(statements);
    expect(answer).toEqual({ signatures: [startAt], activeSignature: 0, activeParameter });
  });

  it('points at the overload that the call takes, or could', async () => {
    const begun = await help("q().startAt('Word').out(|)");
    expect(begun?.signatures.map(({ label }) => label)).toEqual([
      'out(): Query<NodeOf>',
      'out<T extends NodeTypeName>(type: T, edge?: EdgeTypeName): Query<NodeOf<T>>',
    ]);
    expect(begun).toMatchObject({ activeSignature: 1, activeParameter: 0 });
    const taken = await help("q().startAt('Word').out('Synset', |");
    expect(taken).toMatchObject({ activeSignature: 1, activeParameter: 1 });
    expect(taken?.signatures[1]?.label).toContain('type: "Synset"');
  });

  it('shows what is said of parameters', async () => {
    const answer = await help('[1].map(|');
    expect(answer?.signatures[0]?.parameters[0]).toEqual({
      label: expect.stringMatching(/^callbackfn: /),
      documentation: expect.stringMatching(/^A function that accepts up to three arguments/),
    });
  });

  it('is of the innermost call, also of a class, and of a function without a name', async () => {
    expect((await help('log.info(q().startAt(|'))?.signatures[0]?.label).toMatch(/^startAt\(/);
    expect((await help('log.info(q().asUser(), |'))?.signatures[0]?.label).toMatch(/^info\(/);
    expect((await help('new RegExp(|)'))?.signatures[0]?.label).toMatch(/^RegExp\(.*: RegExp$/);
    expect(await help('(function (a: number, ...b: string[]) {})(1, "", |')).toMatchObject({
      signatures: [{ label: '(a: number, ...b: string[]): void' }],
      activeParameter: 2,
    });
  });

  it.each([
    ['outside of any call', '|'],
    ['after a call', "q().startAt('Word')|"],
    ['on the name of a function', "q().start|At('Word')"],
    ['in the body of a function that is an argument', '[1].map((x) => {\n |\n})'],
    ['of what cannot be called', 'const n = 1; n(|)'],
  ])('is not given %s', async (_, statements) => {
    expect(await help(statements)).toBeNull();
  });
});

describe('code that cannot be answered', () => {
  const ask = (place: CodePlace) => [
    compiler.completions(place, WORDS),
    compiler.hover(place, WORDS),
    compiler.signatureHelp(place, WORDS),
  ];

  it.each([
    [1, 7],
    [2, 1],
    [4, 1],
    [1e9, 1],
    [1, 1e9],
  ])('has no line %i with a column %i', async (line, column) => {
    const outcomes = await Promise.allSettled(
      ask({ code: line === 2 ? 'body' : 'body;\n\n', isReadOnly: false, line, column }),
    );
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        reason: { code: 'invalid_request', details: { fields: [{ path: 'line' }, {}] } },
      });
    }
  });

  it('has every place from the first to the one after the last', async () => {
    const code = 'é;\r\n😀\u2028b\n';
    for (const [line, column] of [
      [1, 1],
      [1, 3],
      [1, 4],
      [2, 1],
      [2, 2],
      [2, 5],
      [3, 1],
    ] as const) {
      await Promise.all(ask({ code, isReadOnly: false, line, column }));
    }
    await Promise.all(ask({ code: '', isReadOnly: true, line: 1, column: 1 }));
    const { items } = await compiler.completions(placeIn('|'), WORDS);
    expect(items.map(({ label }) => label)).toContain('export');
  });

  it('is broken anywhere, and asked about everywhere', async () => {
    const sound = `export const input = z.object({ word: z.string() });
      export default async function ({ body, graph, q }: Scope<typeof input>) {
        const words = new Map<string, number>([['a', 1]]);
        for await (const w of q().startAt('Word', body.word)) words.set(w.Lemma ?? '', 2);
        return (await graph.getMany('Synset', [...words.keys()])).map((s) => s?.Gloss ?? \`\${s}\`);
      }`;
    const bits = [...'(){}[]<>`\'"/.,;', '${', '/*', 'new ', 'class A { ', 'import(', '=> ', '@x '];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...bits),
        fc.nat(sound.length),
        fc.nat(60),
        fc.nat(sound.length),
        async (bit, at, cut, where) => {
          const code = sound.slice(0, at) + bit + sound.slice(at + cut);
          const place = positionAt(code, Math.min(where, code.length));
          await Promise.all(ask({ code, isReadOnly: false, ...place }));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is nested more deeply than functions can be', async () => {
    const deep = placeIn(`export default () => ${'('.repeat(20_000)}f(|`);
    await Promise.all([
      ...ask(deep),
      compiler.check({ code: deep.code, isReadOnly: false }, WORDS),
    ]);
    expect(await compiler.signatureHelp(deep, WORDS)).toBeNull();
  });

  it('takes too long, and is given up', async () => {
    const impatient = new EndpointCompiler(undefined, undefined, new TypeChecker(2_000));
    const bomb = `
      type Zeros<N extends number, R extends 0[] = []> = R['length'] extends N ? R : Zeros<N, [...R, 0]>;
      type Sums = { [A in keyof Zeros<900>]: { [B in keyof Zeros<900>]: [A, B] } };
      declare const sums: Sums;
      type Others<N> = { [A in keyof Zeros<900>]: { [B in keyof Zeros<900>]: [A, B, N] } };
      const others: Others<0> & Others<1> & Others<2> & Others<3> & Others<4> & Others<5> = sums;
      export default (f: (a: typeof others extends Sums ? 1 : 2) => void) => f(|);`;
    await expect(impatient.signatureHelp(placeIn(bomb), WORDS)).rejects.toMatchObject({
      code: 'compiler_timeout',
    });
    const next = await impatient.hover(placeIn('const a| = 1;'), WORDS);
    expect(next?.contents).toBe('a: 1');
    await impatient.close();
  });

  it('is asked about no more', async () => {
    const reason = new Error('not wanted');
    const asked = compiler.completions(placeIn('|'), WORDS, AbortSignal.abort(reason));
    await expect(asked).rejects.toBe(reason);
  });
});
