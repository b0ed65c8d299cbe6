import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeUid } from '@trellis/client/uid.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { SearchableNotes } from '../support/searchable-notes.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let notes: SearchableNotes;
beforeAll(async () => {
  folder = await temporaryFolder();
  workspace = await startWorkspace();
  notes = await SearchableNotes.add(workspace);
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const search = (...args: string[]) =>
  runTrellis(['search', ...args], {
    home: folder.path,
    server: workspace.server.url,
    token: workspace.token,
  });
/** Lines of a table as their cells. */
const cells = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

test('golden sets are set from a file, listed, printed and deleted', async () => {
  const file = join(folder.path, 'notes.json');
  await writeFile(file, JSON.stringify(notes.goldenSet()));
  const set = await search('golden', 'set', 'kept', file);
  expect(set).toEqual({ code: 0, stdout: '', stderr: 'The golden set kept has 6 queries.\n' });
  expect(JSON.parse((await search('golden', 'get', 'kept')).stdout)).toEqual(notes.goldenSet());
  expect(cells((await search('golden', 'list')).stdout)).toEqual([
    ['NAME', 'QUERIES', 'LAST RUN', 'NDCG@10', 'DESCRIPTION'],
    ['kept', '6', 'What should be found.'],
  ]);
  await search('golden', 'delete', 'kept');
  const gone = await search('golden', 'get', 'kept');
  expect([gone.code, gone.stderr]).toEqual([
    1,
    expect.stringContaining('There is no golden set "kept".'),
  ]);
  const none = await search('eval');
  expect([none.code, none.stdout]).toEqual([1, '']);
});

test('a golden set may name nodes by type and key', async () => {
  const file = join(folder.path, 'named.json');
  const setWith = async (...relevant: readonly unknown[]) => {
    await writeFile(file, JSON.stringify({ queries: [{ query: 'one', relevant }] }));
    return search('golden', 'set', 'named', file);
  };
  expect((await setWith('Note/a/b', { uid: 'Note:c', grade: 2 }, nodeUid('Note', 'd'))).code).toBe(
    0,
  );
  expect(JSON.parse((await search('golden', 'get', 'named')).stdout).queries).toEqual([
    {
      query: 'one',
      relevant: [
        nodeUid('Note', 'a/b'),
        { uid: nodeUid('Note', 'c'), grade: 2 },
        nodeUid('Note', 'd'),
      ],
    },
  ]);
  const refused = await setWith('nothing');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('names no node')]);
  expect((await setWith(7)).stderr).toContain('queries.0.relevant.0');
  await search('golden', 'delete', 'named');
});

test('eval shows metrics, what is worse than in the last run, and fails below a floor', async () => {
  const file = join(folder.path, 'notes.json');
  await writeFile(file, JSON.stringify(notes.goldenSet()));
  await search('golden', 'set', 'notes', file);
  const first = await search('eval', 'notes', '--fail-below', 'mrr=0.7');
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(cells(first.stdout)).toEqual([
    ['notes: 5 queries, 1 without a relevant hit, 2 relevant nodes do not exist'],
    ['METRIC', 'NOW', 'LAST RUN', 'DIFFERENCE'],
    ['NDCG@10', '0.7262'],
    ['MRR', '0.7000'],
    ['precision@10', '0.0800'],
    ['recall@10', '0.8000'],
  ]);

  await notes.boost({ title: 1, text: 20 });
  const worse = await search(
    'eval',
    'notes',
    '--fail-below',
    'mrr=0.7',
    '--fail-below',
    'recall=.8',
  );
  expect([worse.code, worse.stderr]).toEqual([1, 'notes: MRR is 0.6000, below 0.7\n']);
  expect(cells(worse.stdout)).toEqual([
    [
      'notes: 5 queries, 2 worse, 1 better, 1 without a relevant hit, 2 relevant nodes do not exist',
    ],
    ['METRIC', 'NOW', 'LAST RUN', 'DIFFERENCE'],
    ['NDCG@10', '0.6524', '0.7262', '-0.0738'],
    ['MRR', '0.6000', '0.7000', '-0.1000'],
    ['precision@10', '0.0800', '0.0800', '0.0000'],
    ['recall@10', '0.8000', '0.8000', '0.0000'],
    [''],
    ['WORSE', 'NDCG@10', 'RANK BEFORE', 'RANK NOW'],
    ['harbour', '-0.3691', '1', '2'],
    ['harbours lie', '-0.3691', '1', '2'],
  ]);

  const all = await search('eval', '--json');
  expect(JSON.parse(all.stdout)).toMatchObject([
    { name: 'notes', metrics: { mrr: 0.6 }, worse: { total: 0 } },
  ]);
});

test.each(['ndcg', 'ndcg=2', 'quality=0.5', 'ndcg=0.5.1'])(
  'eval --fail-below %s is wrong usage',
  async (floor) => {
    const { code, stderr } = await search('eval', 'notes', '--fail-below', floor);
    expect([code, stderr]).toEqual([2, expect.stringContaining('no metric with a value')]);
  },
);
