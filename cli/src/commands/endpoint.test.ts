import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder, trellis } from '../testing/command-line.ts';
import { type Request, refusal, startService } from '../testing/service.ts';

const REMARK = { line: 2, column: 3, code: 0, message: 'Await it.', severity: 'warning' };
const BROKEN = { line: 3, column: 7, code: 2339, message: 'Property "x" does not exist.' };

/** Stores endpoints; the word "broken" does not compile, and "write" not as read-only. */
async function startEndpoints(names: readonly string[] = []) {
  const known = new Set(names);
  const judge = ({ body }: Request) => {
    const { name, code, isReadOnly = false } = JSON.parse(body);
    const diagnostics = code.includes('broken') ? [BROKEN] : [];
    if (isReadOnly && code.includes('write'))
      return refusal(422, 'not_read_only', { diagnostics: [BROKEN] });
    return { body: { name, code, isReadOnly, compiles: diagnostics.length === 0, diagnostics } };
  };
  const change = (name: string) => (request: Request) =>
    known.has(name) ? judge(request) : refusal(404, 'endpoint_not_found');
  const service = await startService({
    'PUT /api/endpoints/a': change('a'),
    'PUT /api/endpoints/b': change('b'),
    'PUT /api/endpoints/x/y': change('x/y'),
    'POST /api/endpoints/create': judge,
    'POST /api/endpoints/check': ({ body }) => ({
      body: {
        diagnostics: JSON.parse(body).code.includes('broken') ? [BROKEN] : [],
        ...(body.includes('forgotten') && { remarks: [REMARK] }),
      },
    }),
  });
  return { ...service, server: ['--server', service.url] };
}

function files(contents: Readonly<Record<string, string>>): string {
  const folder = scratchFolder();
  for (const [name, code] of Object.entries(contents)) writeFileSync(join(folder, name), code);
  return folder;
}

describe('endpoint push', () => {
  it('changes what is there and creates the rest, with the settings of each file', async () => {
    const { server, requests } = await startEndpoints(['a']);
    const folder = files({ 'a.ts': '// trellis: readOnly\na', 'b.ts': 'b' });
    const { code, stderr, stdout } = await trellis(['endpoint', 'push', folder, ...server]);
    expect(code).toBe(0);
    expect(stderr).toBe('a: changed\nb: created\n');
    expect(stdout).toBe('');
    const sent = requests.map(({ method, path, body }) => [method, path, JSON.parse(body)]);
    const b = { name: 'b', code: 'b' };
    expect(sent.filter(([, path]) => path !== '/api/endpoints/check')).toEqual([
      ['PUT', '/api/endpoints/a', { name: 'a', code: '// trellis: readOnly\na', isReadOnly: true }],
      ['PUT', '/api/endpoints/b', b],
      ['POST', '/api/endpoints/create', b],
    ]);
  });

  it.each([['push'], ['check']])('%s shows what is remarked of code that compiles', async (how) => {
    const { server } = await startEndpoints(['a']);
    const folder = files({ 'a.ts': 'forgotten' });
    const { code, stderr } = await trellis(['endpoint', how, folder, ...server]);
    const done = how === 'push' ? 'changed' : 'checked';
    const line = `${join(folder, 'a.ts')}:2:3: warning: Await it.`;
    expect([code, stderr]).toEqual([0, `${line}\na: ${done}\n`]);
  });

  it('shows where code does not compile, keeps it as a draft, and fails', async () => {
    const { server } = await startEndpoints(['a', 'b']);
    const folder = files({ 'a.ts': 'broken', 'b.ts': 'fine' });
    const { code, stderr } = await trellis(['endpoint', 'push', folder, ...server]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `${join(folder, 'a.ts')}:3:7: Property "x" does not exist. (TS2339)\n` +
        'a: does not compile (draft)\nb: changed\n',
    );
  });

  it('shows why an endpoint is not read-only, and goes on', async () => {
    const { server } = await startEndpoints(['a', 'b']);
    const folder = files({ 'a.ts': 'write', 'b.ts': 'fine' });
    const push = ['endpoint', 'push', folder, '--read-only', '--json', ...server];
    const { code, stderr, stdout } = await trellis(push);
    expect(code).toBe(1);
    expect(stderr).toContain('a.ts:3:7: Property');
    expect(stderr).toContain('a: does not compile (refused)');
    const [a, b] = JSON.parse(stdout);
    expect(a).toMatchObject({ name: 'a', action: 'refused', diagnostics: [BROKEN] });
    expect(b).toMatchObject({ name: 'b', action: 'changed', compiles: true });
  });

  it('gives a single file another name', async () => {
    const { server, requests } = await startEndpoints(['x/y']);
    const folder = files({ 'a.ts': 'a', 'b.ts': 'b' });
    const push = ['endpoint', 'push', '--name', 'x/y', ...server];
    expect((await trellis([...push, join(folder, 'a.ts')])).code).toBe(0);
    expect(requests[0]?.path).toBe('/api/endpoints/x/y');
    expect((await trellis([...push, folder])).code).toBe(2);
  });

  it.each([['push', '--check'], ['check']])('%j changes nothing', async (...command) => {
    const { server, requests } = await startEndpoints(['a']);
    const folder = files({ 'a.ts': '// trellis: readOnly\nbroken' });
    const { code, stderr } = await trellis(['endpoint', ...command.flat(), folder, ...server]);
    expect(code).toBe(1);
    expect(stderr).toContain('a.ts:3:7: Property');
    expect(requests.map(({ path }) => path)).toEqual(['/api/endpoints/check']);
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ isReadOnly: true });
  });

  it('does not hide another failure', async () => {
    const service = await startService({ 'PUT /api/endpoints/a': () => refusal(403, 'forbidden') });
    const folder = files({ 'a.ts': 'a' });
    const { code, stderr } = await trellis(['endpoint', 'push', folder, '--server', service.url]);
    expect(code).toBe(1);
    expect(stderr).toContain('error: refused: forbidden');
  });
});

describe('endpoint run', () => {
  const answers = {
    'POST /api/endpoints/run/a/b': ({ body }: Request) => ({
      body: { got: body === '' ? null : JSON.parse(body) },
    }),
    'POST /api/endpoints/run/quiet': () => ({ status: 204 }),
  };

  it.each([
    [['a/b'], '', { got: null }],
    [['a/b', '{"word":"dog"}'], '', { got: { word: 'dog' } }],
    [['a/b', '-'], '[1]', { got: [1] }],
  ])('%j with %j on stdin', async (args, stdin, expected) => {
    const { url } = await startService(answers);
    const command = ['endpoint', 'run', ...args, '--server', url];
    const { code, stdout } = await trellis([...command, '--json'], { stdin });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(expected);
    expect((await trellis(command, { stdin })).stdout).toBe(
      `${JSON.stringify(expected, null, 2)}\n`,
    );
  });

  it('says how far a long run is, and only when that has changed', async () => {
    const progress = ['', 'fraction=0.25&text=so+far', 'fraction=0.25&text=so+far', 'text=almost'];
    const { url } = await startService({
      'POST /api/endpoints/run/slow': () => {
        const said = progress.shift();
        const headers = { 'msk-endpoint-key': 'k', 'msk-endpoint-progress': said ?? '' };
        return said === undefined ? { body: 1, headers } : { status: 202, headers };
      },
    });
    const { code, stdout, stderr } = await trellis(['endpoint', 'run', 'slow', '--server', url]);
    expect([code, stdout, stderr]).toEqual([0, '1\n', '25 % so far\nalmost\n']);
  });

  it('cancels a long run that is interrupted', async () => {
    const interrupt = new AbortController();
    const headers = { 'msk-endpoint-key': 'k' };
    let polls = 0;
    const { url, requests } = await startService({
      'POST /api/endpoints/run/slow': () => {
        if (++polls > 1) interrupt.abort();
        return { status: 202, headers };
      },
      'DELETE /api/endpoints/run/slow': () => ({ status: 204 }),
    });
    const { signal } = interrupt;
    const { code } = await trellis(['endpoint', 'run', 'slow', '--server', url], { signal });
    expect(code).not.toBe(0);
    const last = requests.at(-1);
    expect([last?.method, last?.headers['msk-endpoint-key']]).toEqual(['DELETE', 'k']);
  });

  it('prints nothing for no answer, and refuses a body that is not JSON', async () => {
    const { url } = await startService(answers);
    const quiet = await trellis(['endpoint', 'run', 'quiet', '--server', url]);
    expect(quiet).toEqual({ code: 0, stdout: '', stderr: '' });
    const broken = await trellis(['endpoint', 'run', 'quiet', '{word', '--server', url]);
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain('the body is not valid JSON');
  });
});

describe('endpoint list, get, delete', () => {
  const endpoint = {
    name: 'a/b',
    code: 'export default () => 1;\n',
    compiles: true,
    isReadOnly: true,
    mode: 'sync',
    access: 'users',
    version: 3,
  };
  const answers = {
    'GET /api/endpoints': () => ({ body: { items: [endpoint], total: 1, skip: 0, take: 200 } }),
    'GET /api/endpoints/a/b': () => ({ body: endpoint }),
    'DELETE /api/endpoints/a/b': () => ({ status: 204 }),
  };

  it('list as a table or as JSON', async () => {
    const { url } = await startService(answers);
    const { stdout } = await trellis(['endpoint', 'list', '--server', url]);
    expect(stdout).toBe(
      'NAME  STATE     READ-ONLY  MODE  ACCESS  VERSION\n' +
        'a/b   compiles  yes        sync  users   3\n',
    );
    const json = await trellis(['endpoint', 'list', '--server', url, '--json']);
    expect(JSON.parse(json.stdout)).toEqual([endpoint]);
  });

  it('get prints the code, ready for a file', async () => {
    const { url } = await startService(answers);
    const { stdout } = await trellis(['endpoint', 'get', 'a/b', '--server', url]);
    expect(stdout).toBe(endpoint.code);
  });

  it('delete says what it did', async () => {
    const { url } = await startService(answers);
    const { code, stderr } = await trellis(['endpoint', 'delete', 'a/b', '--server', url]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Deleted a/b.\n' });
  });
});
