import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { EndpointCompiler } from './endpoint-compiler.ts';

const SCHEMA: SchemaDocument = {
  nodes: [{ type: 'Book', key: 'Name', fields: { Pages: 'Int' } }],
  edges: [{ type: 'Cites' }],
};

const compiler = new EndpointCompiler();
afterAll(() => compiler.close());

const SCOPE = '{ body, graph, q, search, fetch, run }: Scope<string[]>';

/** `line severity` and the beginning of each remark; the body begins in line 2. */
async function remarksOf(
  body: string,
  { scope = SCOPE, isReadOnly = false }: Asked = {},
): Promise<string[]> {
  const code = `export default async function (${scope}) {\n${body}\n}\n`;
  const reviewed = await compiler.review({ code, isReadOnly }, SCHEMA);
  expect(reviewed.diagnostics).toEqual([]);
  return (reviewed.remarks ?? []).map(
    ({ line, severity, message }) =>
      `${line} ${severity} ${message.split(' ').slice(0, 4).join(' ')}`,
  );
}

interface Asked {
  readonly scope?: string;
  readonly isReadOnly?: boolean;
}

const WRITE = "await graph.update('Book', 'a', { Pages: 1 });";
const COUNT = "const count = await q().startAt('Book').count();";
const UNSEEN = 'warning q() shows the graph';

describe('what looks at writes that it does not show', () => {
  it.each([
    ['a query after a write', `${WRITE}\n${COUNT}\nreturn count;`, [`3 ${UNSEEN}`]],
    [
      'a search',
      `${WRITE}\nreturn search({ query: 'a' });`,
      ['3 warning search() shows the graph'],
    ],
    [
      'a query after a loop',
      `for (const a of body) {\nawait graph.tryAdd('Book', a);\nawait graph.commit();\nawait graph.tryAdd('Book', a + 'x');\n}\n${COUNT} return count;`,
      [`7 ${UNSEEN}`],
    ],
    ['a query before it', `${COUNT}\n${WRITE}\nreturn count;`, []],
    ['a query after a commit', `${WRITE}\nawait graph.commit();\n${COUNT}\nreturn count;`, []],
    [
      'a query in another branch',
      `if (body.length > 1) { ${WRITE} } else { ${COUNT} return count; }\nreturn 0;`,
      [],
    ],
    [
      'a query that a return keeps apart',
      `if (body.length > 1) { ${WRITE} return 1; }\n${COUNT} return count;`,
      [],
    ],
    ['graph.get', `${WRITE}\nreturn graph.get('Book', 'a');`, []],
  ])('%s', async (_what, body, remarks) => {
    expect(await remarksOf(body)).toEqual(remarks);
  });

  it('by another name of the scope, and by the scope as a whole', async () => {
    const renamed = '{ graph: g, q: look }: Scope';
    const body = "await g.tryAdd('Book', 'a');\nreturn look().startAt('Book').count();";
    expect(await remarksOf(body, { scope: renamed })).toEqual([`3 ${UNSEEN}`]);
    const whole =
      "await scope.graph.tryAdd('Book', 'a');\nreturn scope.q().startAt('Book').count();";
    expect(await remarksOf(whole, { scope: 'scope: Scope' })).toEqual([`3 ${UNSEEN}`]);
  });
});

describe('a write', () => {
  const FORGOTTEN = 'warning This write is not';
  it.each([
    ['that nobody awaits', "graph.tryAdd('Book', 'a');", [`2 ${FORGOTTEN}`]],
    ['that is thrown away', "void graph.tryAdd('Book', 'a');", [`2 ${FORGOTTEN}`]],
    [
      'in forEach',
      "body.forEach(async (a) => { await graph.tryAdd('Book', a); });",
      [`2 ${FORGOTTEN}`],
    ],
    [
      'in map, which is awaited',
      "await Promise.all(body.map((a) => graph.tryAdd('Book', a)));",
      [],
    ],
    ['that is returned', "return graph.tryAdd('Book', 'a');", []],
    [
      'whose error is caught',
      `try {\n${WRITE}\n} catch { return 1; }`,
      ['3 info What others have changed'],
    ],
    [
      'that has a catch',
      "await graph.tryAdd('Book', 'a').catch(() => null);",
      ['2 info What others have changed'],
    ],
    [
      'in a loop',
      `for (const a of body)\nawait graph.tryAdd('Book', a);`,
      ['3 info A transaction has at'],
    ],
    [
      'in a loop that commits',
      `for (const a of body) {\nawait graph.tryAdd('Book', a);\nawait graph.commit();\n}`,
      [],
    ],
    [
      'after fetch',
      `await graph.get('Book', 'a');\nawait fetch('https://a.example');\n${WRITE}`,
      ['3 info After fetch the call'],
    ],
    ['after fetch that has read nothing', `await fetch('https://a.example');\n${WRITE}`, []],
    [
      'in graph.transaction()',
      "await graph.transaction((t) => t.tryAdd('Book', 'a'));",
      ['2 info The call is one'],
    ],
  ])('%s', async (_what, body, remarks) => {
    expect(await remarksOf(body)).toEqual(remarks);
  });
});

it('nothing is remarked of readers, of modules, nor of code that does not compile', async () => {
  const scope = '{ q }: Scope';
  expect(
    await remarksOf("return q().startAt('Book').count();", { scope, isReadOnly: true }),
  ).toEqual([]);
  const code = `export default async function (${SCOPE}) { graph.tryAdd('Bok', 'a'); }`;
  const { diagnostics, remarks } = await compiler.review({ code, isReadOnly: false }, SCHEMA);
  expect([diagnostics.length, remarks]).toEqual([1, undefined]);
  const module = 'export const one = 1;';
  expect(
    await compiler.review({ code: module, isReadOnly: false, kind: 'module' }, SCHEMA),
  ).toEqual({
    diagnostics: [],
  });
});
