import { TrellisClient } from '@trellis/client/trellis-client.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import type { ConnectorRun } from './connector-run.ts';
import { type ConnectorOptions, runConnector } from './run-connector.ts';
import { ModelWorkspace } from './testing/model-workspace.ts';

const SCHEMA = { nodes: [{ type: 'Note', fields: { Text: 'String' as const } }], edges: [] };

function note(key: string, text: string): GraphOperation {
  return { op: 'addOrUpdate', type: 'Note', key, fields: { Text: text } };
}

function link(from: string, to: string): GraphOperation {
  const ends = { from: { type: 'Note', key: from }, to: { type: 'Note', key: to } };
  return { op: 'link', edge: 'Next', ...ends };
}

async function scene() {
  const folder = mkdtempSync(join(tmpdir(), 'trellis-connector-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const workspace = new ModelWorkspace();
  const client = await workspace.start();
  const state = join(folder, 'notes.state');
  const options: ConnectorOptions = { client, name: 'notes', schema: SCHEMA, state };
  const run = (
    read: (run: ConnectorRun<number>) => Promise<void>,
    more: Partial<ConnectorOptions> = {},
  ) => runConnector<number>({ ...options, ...more }, read);
  return { workspace, options, run, state };
}

it('sends what is new and what has changed, and nothing else', async () => {
  const { workspace, run } = await scene();
  const first = await run(async (source) => {
    await source.row('1', [note('a', 'one')]);
    await source.row('2', [note('b', 'two')]);
  });
  expect(first).toMatchObject({ rows: 2, unchanged: 0, operations: 2, commits: 1, sequence: 2 });
  const second = await run(async (source) => {
    await source.row('1', [note('a', 'one')]);
    await source.row('2', [note('b', 'other')]);
  });
  expect(second).toMatchObject({ rows: 2, unchanged: 1, operations: 1, commits: 1 });
  expect(workspace.commits[1]).toEqual([note('b', 'other')]);
  expect(second.changes).toEqual([{ row: '2', change: 'changed' }]);
  expect([...workspace.nodes]).toEqual([
    ['Note:a', { Text: 'one' }],
    ['Note:b', { Text: 'other' }],
  ]);
  const third = await run(async (source) => {
    await source.row('1', [note('a', 'one')]);
    await source.row('2', [note('b', 'other')]);
  });
  expect(third).toMatchObject({ unchanged: 2, operations: 0 });
});

it('seals ids and keys in its state, and goes on with the same secret alone', async () => {
  const { workspace, run, state } = await scene();
  const sealed = { stateSecret: 'quokka-on-the-island' };
  const first = async (source: ConnectorRun<number>) => {
    await source.row('row-of-ada', [note('key-of-ada', 'one')]);
    await source.row('row-of-bo', [note('key-of-bo', 'two')]);
    await source.checkpoint(7);
  };
  await run(first, sealed);
  const text = readFileSync(state, 'latin1');
  expect(text).not.toMatch(/ada|note/i);
  expect(await run(first, sealed)).toMatchObject({ unchanged: 2, operations: 0 });
  const wrong = run(first, { stateSecret: 'another' });
  await expect(wrong).rejects.toMatchObject({ code: 'state_mismatch' });
  await run(async (source) => {
    expect(source.cursor).toBe(7);
    await source.row('row-of-bo', [note('key-of-bo', 'three')]);
    await source.removeUnseen();
  }, sealed);
  expect([...workspace.nodes]).toEqual([['Note:key-of-bo', { Text: 'three' }]]);
});

it('of a row that is given several times the last counts, also when it is what was sent before', async () => {
  const { workspace, run } = await scene();
  const twice = () =>
    run(async (source) => {
      await source.row('1', [note('a', 'former')]);
      await source.row('2', [note('b', '')]);
      await source.row('1', [note('a', 'last')]);
    });
  expect(await twice()).toMatchObject({ rows: 3, operations: 2, commits: 1 });
  expect(workspace.nodes.get('Note:a')).toEqual({ Text: 'last' });
  expect(await twice()).toMatchObject({ operations: 0 });
  await run(async (source) => {
    await source.remove('1');
    await source.row('1', [note('a', 'last')]);
    await source.row('2', [note('b', 'gone')]);
    await source.remove('2');
  });
  expect([...workspace.nodes]).toEqual([['Note:a', { Text: 'last' }]]);
});

it('of a node that two rows bring says again what the one says that is left', async () => {
  const { workspace, run } = await scene();
  const one = (source: ConnectorRun<number>) => source.row('1', [note('a', 'one')]);
  await run(async (source) => {
    await one(source);
    await source.row('2', [note('a', 'two')]);
  });
  const listing = () =>
    run(
      async (source) => {
        await one(source);
        await source.removeUnseen();
      },
      { removedShareMax: 1 },
    );
  expect(await listing()).toMatchObject({ removed: 1, operations: 0 });
  expect(await listing()).toMatchObject({ operations: 1 });
  expect([...workspace.nodes]).toEqual([['Note:a', { Text: 'one' }]]);
  expect(await listing()).toMatchObject({ operations: 0 });
});

it('goes on with a state of the first format', async () => {
  const { workspace, run, state } = await scene();
  const rows = ['1', '2'] as const;
  const first = () =>
    run(async (source) => {
      for (const id of rows) await source.row(id, [note('shared', 'same'), note(id, id)]);
    });
  await first();
  {
    using database = new DatabaseSync(state);
    database.exec(`
      ALTER TABLE effect DROP COLUMN content;
      DROP TABLE gone;
      CREATE TABLE gone (effect TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
      UPDATE setting SET value = '1' WHERE name = 'format'`);
  }
  expect(await first()).toMatchObject({ unchanged: 2, operations: 0 });
  const second = await run(async (source) => {
    await source.row('1', [note('shared', 'same')]);
    await source.removeUnseen();
  });
  expect(second).toMatchObject({ removed: 1 });
  expect([...workspace.nodes]).toEqual([['Note:shared', { Text: 'same' }]]);
});

it('takes back what a row no longer brings, unless another row does', async () => {
  const { workspace, run } = await scene();
  await run(async (source) => {
    await source.row('1', [note('a', ''), note('shared', ''), link('a', 'shared')]);
    await source.row('2', [note('b', ''), note('shared', '')]);
  });
  await run((source) => source.row('1', [note('a', '')]));
  expect([...workspace.nodes.keys()]).toEqual(['Note:a', 'Note:shared', 'Note:b']);
  expect([...workspace.edges]).toEqual([]);
  await run((source) => source.remove('2'));
  expect([...workspace.nodes.keys()]).toEqual(['Note:a']);
});

it('keeps a node, with its edges, that moves from one row to another', async () => {
  const { workspace, run } = await scene();
  await run(async (source) => {
    await source.row('1', [note('moving', '')]);
    await source.row('2', [note('b', ''), link('b', 'moving')]);
  });
  const move = async (source: ConnectorRun<number>) => {
    await source.row('1', [note('a', '')]);
    await source.row('3', [note('moving', '')]);
  };
  await run(move, { batchOperations: 1 });
  expect([...workspace.edges]).toEqual(['Note:b Next Note:moving']);
});

it('takes back what a whole listing of the source does not hold, up to a share', async () => {
  const { workspace, run } = await scene();
  const ids = ['1', '2', '3', '4'];
  await run(async (source) => {
    for (const id of ids) await source.row(id, [note(id, '')]);
  });
  const emptied = run((source) => source.removeUnseen());
  await expect(emptied).rejects.toMatchObject({ code: 'too_many_removals' });
  expect(workspace.nodes.size).toBe(4);
  const half = await run(async (source) => {
    for (const id of ids.slice(2)) await source.row(id, [note(id, '')]);
    await source.removeUnseen();
  });
  expect(half).toMatchObject({ unchanged: 2, removed: 2, operations: 2 });
  await run((source) => source.removeUnseen(), { removedShareMax: 1 });
  expect(workspace.nodes.size).toBe(0);
});

it('keeps the cursor of the last checkpoint, once all before it is committed', async () => {
  const { workspace, run } = await scene();
  const broken = run(async (source) => {
    expect(source.cursor).toBeUndefined();
    await source.row('1', [note('a', '')]);
    await source.checkpoint(7);
    expect(workspace.nodes.size).toBe(1);
    await source.row('2', [note('b', '')]);
    throw new Error('the source is gone');
  });
  await expect(broken).rejects.toThrow('the source is gone');
  workspace.fault = () => 'refused';
  const refused = run(async (source) => {
    expect(source.cursor).toBe(7);
    await source.row('2', [note('b', '')]);
    await source.checkpoint(8);
  });
  await expect(refused).rejects.toMatchObject({ code: 'refused' });
  workspace.fault = () => 'none';
  await run(async (source) => {
    expect(source.cursor).toBe(7);
    await source.row('2', [note('b', '')]);
  });
  expect([...workspace.nodes.keys()]).toEqual(['Note:a', 'Note:b']);
});

it('sends a commit again whose answer was lost', async () => {
  const { workspace, run } = await scene();
  const faults = ['lost', 'none'] as const;
  workspace.fault = () => faults[Math.min(workspace.commits.length, 1)] ?? 'none';
  await run((source) => source.row('1', [note('a', '')]));
  expect(workspace.commits).toEqual([[note('a', '')], [note('a', '')]]);
});

it('sends everything again to a workspace that is older than its last commit, or another', async () => {
  const { workspace, run, options } = await scene();
  const read = async (source: ConnectorRun<number>) => {
    if (source.cursor === undefined) await source.row('1', [note('a', '')]);
    await source.checkpoint(1);
  };
  await run(read);
  expect(await run(read)).toMatchObject({ rows: 0, operations: 0 });
  workspace.sequence = 1;
  // One that has not seen a sequence yet.
  const client = new TrellisClient({ baseUrl: options.client.baseUrl });
  const restored = await run(read, { client });
  expect(restored).toMatchObject({ rows: 1, unchanged: 0, operations: 1 });
  const other = new ModelWorkspace();
  other.sequence = 99;
  expect(await run(read, { client: await other.start() })).toMatchObject({ operations: 1 });
  expect(await run(read, { version: 2 })).toMatchObject({ operations: 1 });
});

it('names the row that the workspace refuses, or leaves it out', async () => {
  const { workspace, run } = await scene();
  await run((source) => source.row('2', [note('b', 'good')]));
  workspace.isInvalid = (operation) => 'fields' in operation && operation.fields?.['Text'] === '?';
  const read = async (source: ConnectorRun<number>) => {
    await source.row('1', [note('a', '')]);
    await source.row('2', [note('c', ''), note('b', '?')]);
    await source.row('3', [note('d', '')]);
    await source.removeUnseen();
  };
  await expect(run(read)).rejects.toMatchObject({ code: 'row_rejected', row: '2' });
  expect([...workspace.nodes.keys()]).toEqual(['Note:b']);
  const report = await run(read, { onInvalidRow: 'skip' });
  expect(report.rejectedRows).toEqual([
    { row: '2', code: 'invalid_operation', message: 'no: invalid_operation' },
  ]);
  expect(report).toMatchObject({ rejected: 1, operations: 2, removed: 0 });
  expect([...workspace.nodes.keys()]).toEqual(['Note:b', 'Note:a', 'Note:d']);
});

it('sends nothing and remembers nothing in a dry run', async () => {
  const { workspace, run } = await scene();
  const read = async (source: ConnectorRun<number>) => {
    await source.row('1', [note('a', '')]);
    await source.checkpoint(3);
  };
  const dry = await run(read, { dryRun: true });
  expect(dry).toMatchObject({ dryRun: true, rows: 1, operations: 1, sequence: 0 });
  expect(workspace.commits).toEqual([]);
  expect(await run(read)).toMatchObject({ rows: 1, unchanged: 0, operations: 1 });
});

it('commits in batches, and never cuts a row in two', async () => {
  const { workspace, run } = await scene();
  const commits: number[] = [];
  const onCommit = (report: { commits: number }) => commits.push(report.commits);
  await run(
    async (source) => {
      for (let i = 0; i < 5; i++) await source.row(`${i}`, [note(`${i}`, ''), note(`${i}'`, '')]);
    },
    { batchOperations: 3, onCommit },
  );
  expect(workspace.commits.map(({ length }) => length)).toEqual([4, 4, 2]);
  expect(commits).toEqual([1, 2, 3]);
  const large = Array.from({ length: 10_001 }, (_, i) => note(`${i}`, ''));
  const refused = run((source) => source.row('large', large));
  await expect(refused).rejects.toMatchObject({ code: 'row_too_large', row: 'large' });
});

it('stops when it is told to', async () => {
  const { run } = await scene();
  const abort = new AbortController();
  const stopped = run(
    async (source) => {
      await source.row('1', [note('a', '')]);
      abort.abort(new Error('enough'));
      await source.row('2', [note('b', '')]);
    },
    { signal: abort.signal },
  );
  await expect(stopped).rejects.toThrow('enough');
});

it('is one run at a time, of the connector that the state belongs to', async () => {
  const { run, state } = await scene();
  await run(async (source) => {
    await expect(run(async () => {})).rejects.toMatchObject({ code: 'state_in_use' });
    await source.row('1', [note('a', '')]);
  });
  const mistaken = run(async () => {}, { name: 'other' });
  await expect(mistaken).rejects.toMatchObject({ code: 'state_mismatch' });
  writeFileSync(state, 'this is no state of a connector, but a text that is a little longer');
  await expect(run(async () => {})).rejects.toMatchObject({ code: 'state_mismatch' });
});
