import { createServer } from 'node:http';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConnectorScene } from './connector-scene.ts';

let at: ConnectorScene;
let file: string;

beforeAll(async () => {
  at = await ConnectorScene.start();
  file = join(at.folder, 'people.csv');
});
afterAll(() => at[Symbol.asyncDispose]());

const args = (type: string, source = file, key = 'Email') =>
  `--source ${source} --type ${type} --key ${key}`.split(' ');

test('a table becomes nodes, and what changes in it changes there', async () => {
  writeFileSync(file, 'Email,Name\na@x.org,Ann\nb@x.org,"Bob, Jr."\nc@x.org,Cy\n');
  expect(await at.run('csv', args('Person'))).toMatchObject({ rows: 3, operations: 3, commits: 1 });
  expect(await at.nodes('Person')).toMatchObject({
    'a@x.org': { Name: 'Ann', Email: 'a@x.org' },
    'b@x.org': { Name: 'Bob, Jr.' },
    'c@x.org': { Name: 'Cy' },
  });
  expect(await at.run('csv', args('Person'))).toMatchObject({ unchanged: 3, operations: 0 });
  writeFileSync(file, 'Email,Name\na@x.org,Anna\nb@x.org,"Bob, Jr."\n');
  const dry = await at.run('csv', [...args('Person'), '--dry-run']);
  expect(dry).toMatchObject({ dryRun: true, unchanged: 1, removed: 1, operations: 2 });
  expect(Object.keys(await at.nodes('Person'))).toHaveLength(3);
  const report = await at.run('csv', args('Person'));
  expect(report).toMatchObject({ rows: 2, unchanged: 1, removed: 1, operations: 2 });
  const people = await at.nodes('Person');
  expect(Object.keys(people).toSorted()).toEqual(['a@x.org', 'b@x.org']);
  expect(people['a@x.org']).toMatchObject({ Name: 'Anna' });
});

test('of rows with one key the last counts, is sent once, and both are named', async () => {
  const many = join(at.folder, 'parts.csv');
  const state = ['--state', join(at.folder, 'parts.state')];
  const rows = Array.from({ length: 900 }, (_, i) => `${i},part ${i}\n`);
  writeFileSync(many, `No,Name\n7,first\n7,"sec\nond"\n${rows.join('')}8,last\n`);
  const given = [...args('Part', many, 'No'), ...state];
  const { code, stdout, stderr } = await at.end(at.launch('csv', [...given, '--json']));
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ rows: 900, operations: 900 });
  expect(stderr.split('\n')).toEqual([
    'csv: lines 2 and 4 both have the No "7": line 4 counts',
    'csv: lines 4 and 12 both have the No "7": line 12 counts',
    'csv: lines 13 and 905 both have the No "8": line 905 counts',
    '',
  ]);
  const parts = await at.nodes('Part');
  expect(Object.keys(parts)).toHaveLength(900);
  expect([parts['7'], parts['8']]).toMatchObject([{ Name: 'part 7' }, { Name: 'last' }]);
  expect(await at.run('csv', given)).toMatchObject({ unchanged: 900, operations: 0 });
  // The last of them goes: what the one before says counts, though it is older in the file.
  writeFileSync(many, `No,Name\n7,first\n7,"sec\nond"\n${rows.join('')}`);
  expect(await at.run('csv', given)).toMatchObject({ unchanged: 899, operations: 1 });
  expect((await at.nodes('Part'))['8']).toMatchObject({ Name: 'part 8' });
});

test('a source that is suddenly empty takes nothing away', async () => {
  writeFileSync(file, 'Email,Name\n');
  const { code, stderr } = await at.end(at.launch('csv', args('Person')));
  expect(code).toBe(1);
  expect(stderr).toContain('2 of 2 rows are missing in the source');
  expect(Object.keys(await at.nodes('Person'))).toHaveLength(2);
});

test('a table on the web; and one that is broken says where', async () => {
  let body = 'Email,Name\nd@x.org,Dee\n';
  const server = createServer((_request, response) => response.end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/people.csv`;
  const state = ['--state', join(at.folder, 'web.state')];
  expect(await at.run('csv', [...args('Guest', url), ...state])).toMatchObject({ operations: 1 });
  expect(Object.keys(await at.nodes('Guest'))).toEqual(['d@x.org']);
  body = 'Email,Name\nd@x.org,Dee\ne@x.org\n';
  const broken = await at.end(at.launch('csv', [...args('Guest', url), ...state]));
  expect(broken).toMatchObject({ code: 1 });
  expect(broken.stderr).toContain('on line 3');
  server.closeAllConnections();
  server.close();
});

test('bad requests are named: no token, no column, no workspace, and the help says how', async () => {
  const cases = [
    { args: args('Person', file, 'Phone'), says: 'There is no column Phone: Email, Name' },
    { args: args('Person'), env: { TRELLIS_TOKEN: 'wrong' }, says: 'token' },
    { args: ['--help'], says: '--source people.csv' },
    { args: args('Person', 'none.csv'), says: 'none.csv' },
  ];
  for (const { args: given, env = {}, says } of cases) {
    const { stdout, stderr } = await at.end(at.launch('csv', given, env));
    expect(stdout + stderr).toContain(says);
    expect(stderr).not.toContain('    at ');
  }
});
