import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { declarationsOf } from '../../tools/docs-site/declarations.ts';
import { referencePages } from '../../tools/docs-site/reference.ts';
import { SCOPE_EXAMPLES } from '../../tools/docs-site/scope-examples.ts';
import { SnippetScene } from './snippet-scene.ts';

/** Its answer comes from elsewhere. */
const NOT_RUN = new Set(['fetch', 'secret', 'redirect']);

let at: SnippetScene;
beforeAll(async () => {
  at = await SnippetScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());

describe('the example of a member of the scope', () => {
  test.each(Object.entries(SCOPE_EXAMPLES))('%s: compiles, and answers', async (name, example) => {
    const endpoint = `example-${name}`;
    const { code } = example;
    const made = await at.admin('POST', '/api/endpoints/create', { name: endpoint, code });
    expect(Object(made).diagnostics).toEqual([]);
    if (NOT_RUN.has(name)) return;
    const answer = await at.admin('POST', `/api/endpoints/run/${endpoint}`, example.body ?? {});
    if ('answer' in example) expect(answer).toEqual(example.answer);
  });
});

test('the endpoint of the README compiles, and answers', async () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const code = /^```ts\n([^]*?)^```$/m.exec(readme)?.[1];
  const made = await at.admin('POST', '/api/endpoints/create', { name: 'readme', code });
  expect(Object(made).diagnostics).toEqual([]);
  const answer = await at.admin('POST', '/api/endpoints/run/readme', { word: 'dog' });
  expect(answer).toEqual([expect.objectContaining({ Type: 'Synset' })]);
});

describe('the reference of the scope and of queries', () => {
  test('has every member of the sources, and says what each is', async () => {
    const pages = await referencePages();
    for (const [page, file, name] of [
      ['scope', 'scope.ts', 'Scope'],
      ['scope', 'graph-reads.ts', 'GraphReads'],
      ['scope', 'graph-writes.ts', 'Writes'],
      ['scope', 'ai.ts', 'Ai'],
      ['query', 'query.ts', 'QueryStart'],
      ['query', 'query.ts', 'Query'],
    ] as const) {
      const members = declarationsOf(file).get(name)?.members ?? [];
      expect(members.length, name).toBeGreaterThan(2);
      const silent = members.filter(({ about }) => about === '').map((member) => member.name);
      expect(silent, `endpoint/src/${file} says nothing of them`).toEqual([]);
      const text = pages.get(`reference/${page}.md`) ?? '';
      for (const member of members) expect(text).toContain(`# ${member.name}\n\n${member.about}`);
    }
    expect(pages.get('reference/query.md')).toContain('`startsWith`, `endsWith`, `exists`');
  });

  test('takes sources apart where their members end', () => {
    const members = declarationsOf('query.ts').get('Query')?.members ?? [];
    const names = members.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['out', 'sortBy', 'nodes', 'shortestPaths']));
    expect(members.find(({ name }) => name === 'out')?.signatures).toEqual([
      'out(): Query<NodeOf>;',
      'out<T extends NodeTypeName>(type: T, edge?: EdgeTypeName): Query<NodeOf<T>>;',
    ]);
  });
});
