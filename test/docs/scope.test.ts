import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { declarationsOf } from '../../tools/docs-site/declarations.ts';
import { DESCRIBED } from '../../tools/docs-site/endpoint-reference.ts';
import { referencePages } from '../../tools/docs-site/reference.ts';
import { SnippetScene } from './snippet-scene.ts';

/** It leads elsewhere, or needs a secret of the workspace. */
const NOT_RUN = new Set(['secret', 'redirect']);

let at: SnippetScene;
let words: Server;
let address: string;
beforeAll(async () => {
  at = await SnippetScene.start();
  words = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"word":"dog"}');
  });
  await once(words.listen(0, '127.0.0.1'), 'listening');
  address = `http://127.0.0.1:${(words.address() as AddressInfo).port}`;
  await at.admin('PUT', '/api/workspace/settings', { fetchAllowList: [address] });
  const instructions = 'You look after the books.';
  await at.admin('POST', '/api/chatai/agents', { name: 'librarian', instructions });
});
afterAll(async () => {
  words.close();
  await at[Symbol.asyncDispose]();
});

const EXAMPLES = Object.values(DESCRIBED)
  .flat()
  .flatMap(({ name, examples }) =>
    Object.entries(examples).map(([member, example]) => ({ name, member, example })),
  );

describe('the example of a member', () => {
  test.each(EXAMPLES)('$name $member compiles, and answers', async ({ name, member, example }) => {
    const endpoint = `example-${name}-${member}`;
    const code = example.code.replace('https://api.example.com', address);
    const made = await at.admin('POST', '/api/endpoints/create', { name: endpoint, code });
    expect(Object(made).diagnostics).toEqual([]);
    if (NOT_RUN.has(member)) return;
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
    for (const [page, parts] of Object.entries(DESCRIBED)) {
      const text = pages.get(`reference/${page}.md`) ?? '';
      for (const { file, name, examples } of parts) {
        const members = declarationsOf(file).get(name)?.members ?? [];
        expect(members.length, name).toBeGreaterThan(1);
        for (const { name: member, about } of members) {
          expect(text).toContain(`# ${member}\n\n${about}`);
          expect(text).toContain(examples[member]?.code ?? `no example of ${name}.${member}`);
        }
      }
    }
    for (const [file, name] of [
      ['scope.ts', 'Scope'],
      ['graph-reads.ts', 'GraphReads'],
      ['graph-writes.ts', 'Writes'],
      ['ai.ts', 'Ai'],
      ['query.ts', 'QueryStart'],
      ['query.ts', 'Query'],
    ] as const) {
      const members = declarationsOf(file).get(name)?.members ?? [];
      const silent = members.filter(({ about }) => about === '').map((member) => member.name);
      expect(silent, `endpoint/src/${file} says nothing of them`).toEqual([]);
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
