import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BATCH_OPERATIONS_MAX } from '../import/import-batches.ts';
import { scratchFolder, trellis } from '../testing/command-line.ts';
import { type Answer, type Request, refusal, startService } from '../testing/service.ts';

interface Operation {
  readonly op: string;
  readonly key?: string;
  readonly to?: { readonly key: string };
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
      return {
        body: { nodes: lines.length, created: 1, edges: 0, splits: 0, commits: 1, sequence },
      };
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
      created: 3,
      edges: 0,
      splits: 0,
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

  it.each([
    {
      form: 'graphml',
      first:
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed">',
      item: (i: number) => `<node id="n${i}"/>`,
      last: '</graph></graphml>',
      separator: '\n',
    },
    {
      form: 'nquads',
      first: '',
      item: (i: number) =>
        `<http://a.example/${i}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://a.example/T> .`,
      last: '',
      separator: '\n',
    },
    {
      form: 'jsonld',
      first: '{"@context":{"type":"@type"},"@graph":[',
      item: (i: number) => `{"@id":"http://a.example/${i}","type":"http://a.example/T"}`,
      last: ']}',
      separator: ',\n',
    },
  ])('goes on in a graph as $form', async ({ form, first, item, last, separator }) => {
    const path = join(scratchFolder(), `graph.${form}`);
    const items = Array.from({ length: BATCH_OPERATIONS_MAX + 1 }, (_, i) => item(i));
    writeFileSync(path, `${first}${items.join(separator)}${last}`);
    const whole = await startIngest();
    const once = await trellis(['import', form, path, ...whole.server], {
      env: { HOME: scratchFolder() },
    });
    expect(once.code, once.stderr).toBe(0);

    const broken = await startIngest((number) =>
      number === 2 ? refusal(507, 'storage_full') : undefined,
    );
    const env = { HOME: scratchFolder() };
    const command = ['import', form, path, ...broken.server];
    expect(await trellis(command, { env })).toMatchObject({ code: 1 });
    const resumed = await trellis([...command, '--resume'], { env });
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stderr).toContain('Going on after 50,000 operations.');
    expect(broken.batches.flat()).toEqual(whole.batches.flat());
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

/** Refuses the first operation that is about a key like this, as a server does: all or nothing. */
function refusing(pattern: RegExp) {
  return (_number: number, lines: Operation[]): Answer | undefined => {
    const index = lines.findIndex(({ key, to }) => pattern.test(to?.key ?? key ?? ''));
    return index < 0 ? undefined : refusal(422, 'invalid_operation', { index });
  };
}

describe('import that skips rows', () => {
  const mapping = ['--type', 'Person', '--key', 'Email', '--types', 'Age:Int'];

  it('imports the others, and writes those that are wrong to a file, in order', async () => {
    const { server, batches } = await startIngest(refusing(/^bad/));
    const folder = scratchFolder();
    const file = join(folder, 'people.csv');
    const rejects = join(folder, 'wrong.csv');
    const rows = [
      'Email,Age,Boss',
      'bad1@x,1,',
      'a@x,"old, very",',
      'b@x,2,bad boss',
      ',3,',
      'c@x,4,a@x,more',
      'd@x,5,b@x',
      'e@x,6,',
    ];
    writeFileSync(file, `${rows.join('\n')}\n`);
    const link = ['--link', 'Boss:ReportsTo:Person', '--create-schema', ...server];
    const command = ['import', 'csv', file, ...mapping, ...link];
    const { code, stdout } = await trellis([...command, '--rejects', rejects, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ operations: 4, skipped: 5 });
    expect(batches.flat().map(({ op, key }) => [op, key])).toEqual([
      ['addOrUpdate', 'd@x'],
      ['tryAdd', 'b@x'],
      ['link', undefined],
      ['addOrUpdate', 'e@x'],
    ]);
    expect(readFileSync(rejects, 'utf8').split('\n')).toEqual([
      'Line,Reason,Email,Age,Boss',
      '2,refused: invalid_operation,bad1@x,1,',
      '3,"Age: ""old, very"" is not of the type Int",a@x,"old, very",',
      '4,refused: invalid_operation,b@x,2,bad boss',
      '5,"Email: """" is no key",,3,',
      '6,"4 cells, but there are 3 columns",c@x,4,a@x,more',
      '',
    ]);

    const told = await trellis([...command, '--skip-errors']);
    expect(told.stdout).toContain('5 rows were skipped, the first of them:');
    expect(told.stdout).toContain('people.csv:5: Email: "" is no key');
  });

  it('keeps lines as they are, and does not give up the other rows of many', async () => {
    const { server, batches } = await startIngest(refusing(/99$/));
    const rejects = join(scratchFolder(), 'wrong.jsonl');
    const stdin = [
      '{"Email":',
      ...Array.from({ length: 12_000 }, (_, i) => `{"Email":"${i}"}`),
      '[1]',
    ].join('\n');
    const { code, stdout } = await trellis(
      [
        'import',
        'jsonl',
        '-',
        ...mapping.slice(0, 4),
        '--create-schema',
        '--rejects',
        rejects,
      ].concat(server),
      { stdin },
    );
    expect(code).toBe(0);
    expect(stdout).toContain('122 rows were skipped; with the reasons they are in');
    expect(batches.flat()).toHaveLength(11_880);
    const written = readFileSync(rejects, 'utf8').trimEnd().split('\n');
    expect(written).toHaveLength(122);
    expect(JSON.parse(written[0] ?? '')).toMatchObject({ line: 1, text: '{"Email":' });
    expect(JSON.parse(written[1] ?? '')).toEqual({
      line: 101,
      reason: 'refused: invalid_operation',
      text: '{"Email":"99"}',
    });
  });

  it('goes on with --resume, and adds to the file', async () => {
    let isFull = true;
    const { server, batches } = await startIngest((number) =>
      number === 2 && isFull ? refusal(507, 'storage_full') : undefined,
    );
    const folder = scratchFolder();
    const file = ndjson(folder, 10_000);
    appendFileSync(file, 'x\n{"op":"tryAdd","type":"T","key":"last"}\n');
    writeFileSync(file, `y\n${readFileSync(file, 'utf8')}`);
    const rejects = join(folder, 'wrong.jsonl');
    const command = ['import', 'ndjson', file, ...server, '--rejects', rejects];
    const env = { HOME: scratchFolder() };
    expect((await trellis(command, { env })).code).toBe(1);
    isFull = false;
    expect((await trellis([...command, '--resume'], { env })).code).toBe(0);
    expect(batches.map((batch) => batch.length)).toEqual([10_000, 1]);
    const lines = readFileSync(rejects, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).line)).toEqual([1, 10_002]);
  });

  it('ends when the server refuses too many rows', async () => {
    const { server } = await startIngest(refusing(/./));
    const { code, stderr } = await trellis(
      ['import', 'ndjson', ndjson(scratchFolder(), 1_001), ...server, '--skip-errors'],
      { env: { HOME: scratchFolder() } },
    );
    expect(code).toBe(1);
    expect(stderr).toContain('data.ndjson:1001: refused: invalid_operation');
  });

  it('makes no type before a row is good, and does not overwrite its own input', async () => {
    const { url, server, requests } = await startIngest();
    const file = join(scratchFolder(), 'people.csv');
    writeFileSync(file, 'Email,Age\na@x,x\n');
    const command = ['import', 'csv', file, ...mapping, '--create-schema', '--server', url];
    const { code } = await trellis([...command, '--skip-errors']);
    expect(code).toBe(0);
    expect((await trellis(command)).code).toBe(1);
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET']);

    const refused = await trellis(['import', 'ndjson', file, ...server, '--rejects', file]);
    expect(refused.code).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('Email,Age\na@x,x\n');
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
