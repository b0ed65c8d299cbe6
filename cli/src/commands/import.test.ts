import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BATCH_OPERATIONS_MAX } from '../import/import-batches.ts';
import { scratchFolder, trellis } from '../testing/command-line.ts';
import { type Answer, type Request, refusal, startService } from '../testing/service.ts';

interface Operation {
  readonly op: string;
  readonly key?: string;
}

/** A service that ingests: `refuse` may answer instead, to the request numbered from 1. */
async function startIngest(
  refuse: (number: number, lines: Operation[]) => Answer | undefined = () => undefined,
) {
  const batches: Operation[][] = [];
  let number = 0;
  const service = await startService({
    'GET /api/schema': () => ({ body: { nodes: [], edges: [] } }),
    'PUT /api/schema': ({ body }: Request) => ({ body: JSON.parse(body) }),
    'POST /api/ingest': ({ body }: Request) => {
      const lines: Operation[] = body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      const refused = refuse(++number, lines);
      if (refused !== undefined) return refused;
      batches.push(lines);
      const sequence = batches.flat().length;
      return { body: { nodes: lines.length, edges: 0, commits: 1, sequence } };
    },
  });
  return { ...service, batches, server: ['--server', service.url] };
}

function ndjson(folder: string, count: number): string {
  const path = join(folder, 'data.ndjson');
  const lines = Array.from({ length: count }, (_, i) => `{"op":"tryAdd","type":"T","key":"${i}"}`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

function stateFiles(home: string): string[] {
  return readdirSync(join(home, '.local/state/trellis/imports'));
}

const MORE_THAN_TWO_BATCHES = 2 * BATCH_OPERATIONS_MAX + 1;

describe('import', () => {
  it('sends everything in order, in requests of a bounded size, and says what was done', async () => {
    const { server, batches } = await startIngest();
    const file = ndjson(scratchFolder(), MORE_THAN_TWO_BATCHES);
    const home = scratchFolder();
    const env = { HOME: home };
    const { code, stdout } = await trellis(['import', 'ndjson', file, ...server, '--json'], {
      env,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      source: 'data.ndjson',
      operations: MORE_THAN_TWO_BATCHES,
      nodes: MORE_THAN_TWO_BATCHES,
      edges: 0,
      commits: 3,
      sequence: MORE_THAN_TWO_BATCHES,
      seconds: expect.any(Number),
    });
    expect(batches.map((batch) => batch.length)).toEqual([
      BATCH_OPERATIONS_MAX,
      BATCH_OPERATIONS_MAX,
      1,
    ]);
    expect(batches.flat().every(({ key }, i) => key === String(i))).toBe(true);
    expect(stateFiles(home)).toEqual([]);
  });

  it('goes on after what was acknowledged', async () => {
    const first = await startIngest((number) =>
      number === 2 ? refusal(507, 'storage_full') : undefined,
    );
    const file = ndjson(scratchFolder(), MORE_THAN_TWO_BATCHES);
    const home = scratchFolder();
    const env = { HOME: home };
    const command = ['import', 'ndjson', file, ...first.server];
    const failed = await trellis(command, { env });
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('50,000 operations are done; the same command with --resume');
    expect(failed.stderr).toContain('error: refused: storage_full');
    expect(stateFiles(home)).toHaveLength(1);

    const resumed = await trellis([...command, '--resume', '--json'], { env });
    expect(resumed.code).toBe(0);
    expect(resumed.stderr).toContain('Going on after 50,000 operations.');
    expect(JSON.parse(resumed.stdout)).toMatchObject({ operations: BATCH_OPERATIONS_MAX + 1 });
    expect(first.batches.flat().map(({ key }) => Number(key))).toEqual(
      Array.from({ length: MORE_THAN_TWO_BATCHES }, (_, i) => i),
    );
    expect(stateFiles(home)).toEqual([]);
  });

  it('starts at the beginning when the file has changed, and says so', async () => {
    const { server, batches } = await startIngest((number) =>
      number === 2 ? refusal(507, 'storage_full') : undefined,
    );
    const file = ndjson(scratchFolder(), BATCH_OPERATIONS_MAX + 1);
    const env = { HOME: scratchFolder() };
    await trellis(['import', 'ndjson', file, ...server], { env });
    appendFileSync(file, '{"op":"tryAdd","type":"T","key":"new"}\n');
    const { stderr } = await trellis(['import', 'ndjson', file, ...server, '--resume'], { env });
    expect(stderr).toContain('starting at the beginning');
    expect(batches[1]?.[0]?.key).toBe('0');
  });

  it('cannot resume standard input', async () => {
    const { server } = await startIngest();
    const { code, stderr } = await trellis(['import', 'ndjson', '-', '--resume', ...server]);
    expect(code).toBe(2);
    expect(stderr).toContain('standard input cannot be resumed');
  });

  it('names the line that the server refuses', async () => {
    const { server } = await startIngest((number) =>
      number === 2 ? refusal(422, 'invalid_operation', { index: 2 }) : undefined,
    );
    const file = ndjson(scratchFolder(), MORE_THAN_TWO_BATCHES);
    const { code, stderr } = await trellis(['import', 'ndjson', file, ...server, '--json']);
    expect(code).toBe(1);
    const report = JSON.parse(stderr.split('\n').at(-2) ?? '');
    expect(report.error).toEqual({
      code: 'invalid_operation',
      message: `data.ndjson:${BATCH_OPERATIONS_MAX + 3}: refused: invalid_operation`,
    });
  });

  it('stops at a line that gives no operation, after what stands before it was sent', async () => {
    const { server, batches } = await startIngest();
    const file = ndjson(scratchFolder(), BATCH_OPERATIONS_MAX + 5);
    appendFileSync(file, '{"op":"nope"}\n');
    const { code, stderr } = await trellis(['import', 'ndjson', file, ...server]);
    expect(code).toBe(1);
    expect(stderr).toContain(`data.ndjson:${BATCH_OPERATIONS_MAX + 6}: op: `);
    expect(batches.map((batch) => batch.length)).toEqual([BATCH_OPERATIONS_MAX]);
  });

  it('repeats a request that was lost, but not the first', async () => {
    const lost = { status: 502, body: 'bad gateway' };
    const flaky = await startIngest((number) => (number === 2 ? lost : undefined));
    const file = ndjson(scratchFolder(), BATCH_OPERATIONS_MAX + 1);
    const { code, stderr } = await trellis(['import', 'ndjson', file, ...flaky.server]);
    expect(code).toBe(0);
    expect(stderr).toContain('trying again in 0.5 s');
    expect(flaky.batches.map((batch) => batch.length)).toEqual([BATCH_OPERATIONS_MAX, 1]);

    const dead = await startIngest(() => lost);
    expect((await trellis(['import', 'ndjson', file, ...dead.server])).code).toBe(1);
    expect(dead.requests).toHaveLength(1);
  });

  it('can be interrupted, and keeps what was acknowledged', async () => {
    const controller = new AbortController();
    const { server, batches } = await startIngest((number) => {
      if (number === 2) controller.abort(new Error('interrupted'));
      return undefined;
    });
    const file = ndjson(scratchFolder(), MORE_THAN_TWO_BATCHES);
    const home = scratchFolder();
    const { code, stderr } = await trellis(['import', 'ndjson', file, ...server], {
      env: { HOME: home },
      signal: controller.signal,
    });
    expect(code).toBe(1);
    expect(stderr).toContain('--resume');
    expect(stderr).toMatch(/interrupted\n$/);
    expect(batches.length).toBeLessThan(3);
    expect(stateFiles(home)).toHaveLength(1);
  });
});

describe('import csv', () => {
  it('creates the schema when asked, before the first operation', async () => {
    const { url, requests } = await startIngest();
    const command = ['import', 'csv', '-', '--type', 'Person', '--key', 'Email', '--server', url];
    const stdin = 'Email,Name\na@x,Ann\n';
    await trellis([...command, '--create-schema', '--gzip'], { stdin });
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/schema',
      'PUT /api/schema',
      'POST /api/ingest',
    ]);
    expect(requests[2]?.headers['content-encoding']).toBe('gzip');
  });

  it('needs the node type to be there otherwise', async () => {
    const { url, requests } = await startIngest();
    const command = ['import', 'csv', '-', '--type', 'Person', '--key', 'Email', '--server', url];
    const { code, stderr } = await trellis(command, { stdin: 'Email\na@x\n' });
    expect(code).toBe(1);
    expect(stderr).toContain('the server has no node type "Person"');
    expect(stderr).toContain('--create-schema');
    expect(requests).toHaveLength(1);
  });
});

describe('import wordnet', () => {
  it('tries all of it without a server', async () => {
    const server = ['--server', 'http://127.0.0.1:9'];
    const { code, stdout } = await trellis(['import', 'wordnet', '--dry-run', '--json', ...server]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      operations: 839_079,
      kinds: { 'addOrUpdate Synset': 117_791, 'link HasSense': 207_272 },
      problems: 0,
      examples: [],
    });
  });
});

describe('dry run', () => {
  it('reports every problem with its place, sends nothing, and fails', async () => {
    const { server, requests } = await startIngest();
    const lines = [
      'Email,Age',
      ...Array.from({ length: 30 }, (_, i) => `p${i}@x,${i % 2 ? 'x' : i}`),
    ];
    const mapping = ['--type', 'Person', '--key', 'Email', '--types', 'Age:Int'];
    const { code, stdout } = await trellis(
      ['import', 'csv', '-', ...mapping, '--dry-run', ...server],
      { stdin: lines.join('\n') },
    );
    expect(code).toBe(1);
    expect(requests).toEqual([]);
    expect(stdout).toContain('15 operations would be sent');
    expect(stdout).toContain('15 problems, the first of them:');
    expect(stdout).toContain('standard input:3: Age: "x" is not of the type Int');
  });
});
