import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchFolder, trellis, trellisAtTerminal } from '../testing/command-line.ts';
import { startService } from '../testing/service.ts';

const ROWS = 'Link,UID\r\n/#/node/1,1\r\n/#/node/2,2\r\n';

async function start() {
  const home = scratchFolder();
  const service = await startService({
    'POST /api/node/query': () => ({ body: { items: [], total: 2, skip: 0, take: 1 } }),
    'POST /api/node/download/csv': () => ({ text: ROWS, headers: { 'content-type': 'text/csv' } }),
  });
  const env = { HOME: home, TRELLIS_SERVER: service.url, TRELLIS_TOKEN: 't' };
  return { env, out: join(home, 'words.csv'), service };
}

test('a terminal shows how much has arrived', async () => {
  const { env, out, service } = await start();
  const args = ['node', 'download', '--type', 'Word', '--out', out];
  const { code, stderr } = await trellisAtTerminal(args, { env, typed: [] });
  expect(code).toBe(0);
  expect(stderr).toMatch(/Downloading {2}\[█{24}\] {2}100 % {2}2 nodes/);
  expect(stderr).toContain('\r\u001b[KWrote 2 nodes, 36 B, to ');
  expect(readFileSync(out, 'utf8')).toBe(ROWS);
  expect(service.requests.map(({ body }) => JSON.parse(body))).toEqual([
    { type: 'Word', take: 1 },
    { type: 'Word' },
  ]);
});

test('named nodes are asked for as they are named', async () => {
  const { env, out, service } = await start();
  const { code } = await trellis(
    ['node', 'download', 'Word:dog', 'Word/cat', '--field', 'Lemma', '--out', out],
    { env },
  );
  expect(code).toBe(0);
  expect(service.requests.map(({ body }) => JSON.parse(body))).toEqual([
    {
      uids: [
        { type: 'Word', key: 'dog' },
        { type: 'Word', key: 'cat' },
      ],
      fields: ['Lemma'],
    },
  ]);
});
