import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { groupedVariables } from '@trellis/server/setting-table.ts';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { makeProgram } from './program.ts';
import type { Terminal } from './terminal.ts';
import { scratchFolder, spawnTrellis, trellis } from './testing/command-line.ts';
import { refusal, startService } from './testing/service.ts';

/** The words of every command that does something, and of the program. */
function executableCommands(): string[][] {
  const silent = { write: () => undefined };
  const terminal: Terminal = {
    stdin: Readable.from([]),
    stdout: silent,
    stderr: silent,
    env: {},
    signal: new AbortController().signal,
  };
  const program = makeProgram(terminal, () => async () => undefined);
  const below = (command: Command, path: string[]): string[][] =>
    command.commands.length === 0
      ? [path]
      : command.commands.flatMap((sub) => below(sub, [...path, sub.name()]));
  return [[], ...below(program, [])];
}

const COMMANDS = executableCommands();

describe('help', () => {
  it('is there for every command', () => expect(COMMANDS.length).toBeGreaterThan(100));

  it.each(COMMANDS.map((command) => [command]))(
    'of %j has examples, on stdout',
    async (command) => {
      const { code, stdout, stderr } = await trellis([...command, '--help']);
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: ${['trellis', ...command].join(' ')}`);
      expect(stdout).toContain(`Examples:\n  $ `);
      expect(stdout).toContain('--json');
      expect(stderr).toBe('');
    },
  );

  it('has no command outside of its headings', async () => {
    const { stdout } = await trellis(['--help']);
    expect(stdout).toMatch(/^A server:\n {2}serve /m);
    expect(stdout).not.toContain('\nCommands:');
  });

  it('of serve has every variable once, under its heading', async () => {
    const { stdout } = await trellis(['serve', '--help']);
    const named = [...stdout.matchAll(/^ {2}((?:MSK|TRELLIS)_\w+)(?: \(.*\))?$/gm)];
    expect(named.map(([, name]) => name).toSorted()).toEqual(
      [...groupedVariables().values()].flatMap((rows) => rows.map(({ name }) => name)).toSorted(),
    );
    expect(stdout).toMatch(
      /^Variables: Sign-in\n {2}MSK_ADMIN_PASSWORD \(secret\)\n {6}Password /m,
    );
  });

  it('never shows how to put a secret on the command line', async () => {
    for (const command of COMMANDS) {
      const { stdout } = await trellis([...command, '--help']);
      expect(stdout).not.toMatch(/\$ .*(--token|--password(?!-stdin))/);
    }
  });
});

describe('wrong usage', () => {
  it.each([
    [[], 'Usage: trellis'],
    [['nope'], "unknown command 'nope'"],
    [['uid', 'Word'], "missing required argument 'key'"],
    [['status', '--nope'], "unknown option '--nope'"],
    [['import', 'csv', 'a.csv', '--key', 'k'], "required option '--type <type>' not specified"],
    [['import'], 'Usage: trellis import'],
    [['status', '--server', 'localhost:8080'], 'is not the address of a server'],
    [['serve', '--sample', 'wikipedia'], 'Allowed choices are wordnet, none'],
    [['completion', 'tcsh'], 'Allowed choices are bash, zsh, fish'],
    [['login'], 'there is no terminal to ask for the password'],
    [['login', '--password-stdin'], '--password-stdin needs --user'],
  ])('%j exits with 2 and says why on stderr', async (args, message) => {
    const { code, stdout, stderr } = await trellis(args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(stdout).toBe('');
  });
});

describe('failures', () => {
  it('of a connection name the address and how to start a server', async () => {
    const { code, stderr } = await trellis(['status', '--server', 'http://127.0.0.1:9']);
    expect(code).toBe(1);
    expect(stderr).toContain('cannot reach http://127.0.0.1:9');
    expect(stderr).toContain('trellis serve');
  });

  it.each(['missing_token', 'invalid_token'])('%s say how to sign in, and where', async (error) => {
    const service = await startService({ 'GET /api/schema': () => refusal(401, error) });
    const { code, stderr } = await trellis(['schema', 'get', '--server', service.url]);
    expect(code).toBe(1);
    expect(stderr).toContain(`trellis login --server ${service.url}`);
    expect(stderr).toContain('trace: trace-1');
  });

  it('are JSON with --json', async () => {
    const details = { fields: [{ path: 'nodes[0].type', message: 'too short' }] };
    const service = await startService({
      'GET /api/schema': () => refusal(400, 'invalid_request', details),
    });
    const { code, stdout, stderr } = await trellis([
      'schema',
      'get',
      '--server',
      service.url,
      '--json',
    ]);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'invalid_request',
        message: 'refused: invalid_request',
        details,
        traceId: 'trace-1',
      },
    });
  });

  it('name the fields that are wrong', async () => {
    const details = { fields: [{ path: 'nodes[0].type', message: 'too short' }] };
    const service = await startService({
      'GET /api/schema': () => refusal(400, 'invalid_request', details),
    });
    const { stderr } = await trellis(['schema', 'get', '--server', service.url]);
    expect(stderr).toContain('  nodes[0].type: too short');
  });

  it('of a file name it', async () => {
    const { code, stderr } = await trellis(['schema', 'put', 'no-such-file.json']);
    expect(code).toBe(1);
    expect(stderr).toContain('no-such-file.json');
  });
});

describe('a broken profile', () => {
  it('is named, with what to do about it', async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'trellis'));
    writeFileSync(join(folder, 'trellis/profile.json'), '{');
    const { code, stderr } = await trellis(['schema', 'get'], { env: { XDG_CONFIG_HOME: folder } });
    expect(code).toBe(1);
    expect(stderr).toContain(`${join(folder, 'trellis/profile.json')} is not valid JSON`);
    expect(stderr).toContain('hint: Remove the file');
  });
});

describe('which server and which token', () => {
  const answers = { 'GET /api/schema': () => ({ body: { nodes: [], edges: [] } }) };

  it('the option goes before the environment', async () => {
    const [named, other] = [await startService(answers), await startService(answers)];
    const env = { HOME: '/nowhere', TRELLIS_SERVER: other.url, TRELLIS_TOKEN: 'of-environment' };
    await trellis(['schema', 'get', '--server', named.url, '--token', 'of-option'], { env });
    await trellis(['schema', 'get'], { env });
    expect(named.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer of-option',
    ]);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer of-environment',
    ]);
  });
});

describe('status', () => {
  const health = {
    status: 'ok',
    ready: true,
    uptimeSeconds: 90_061.5,
    version: '26.11.0',
    role: 'primary',
    memory: {
      status: 'ok',
      rssBytes: 3 * 2 ** 20,
      heapUsedBytes: 100,
      heapTotalBytes: 200,
      externalBytes: 0,
    },
    disk: { status: 'ok', totalBytes: 2 ** 40, freeBytes: 2 ** 39 },
    parts: [
      { name: 'disk', status: 'ok', reason: null },
      { name: 'models', status: 'degraded', reason: 'provider_failing' },
    ],
  };

  it('shows the report', async () => {
    const service = await startService({ 'GET /health': () => ({ body: health }) });
    const { code, stdout } = await trellis(['status', '--server', service.url]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/uptime +1 d 01:01:01/);
    expect(stdout).toMatch(/memory +3\.0 MiB \(heap 100 B\)/);
    expect(stdout).toMatch(/part models +degraded \(provider failing\)/);
    expect(stdout).toMatch(/disk +512\.0 GiB free of 1\.0 TiB/);
    const json = await trellis(['status', '--server', service.url, '--json']);
    expect(JSON.parse(json.stdout)).toEqual({ server: service.url, ...health });
  });

  it('shows what a server tells everybody', async () => {
    const { version, parts, ...told } = health;
    const body = { ...told, memory: { status: 'ok' }, disk: { status: 'degraded' } };
    const service = await startService({ 'GET /health': () => ({ body }) });
    const { code, stdout } = await trellis(['status', '--server', service.url]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/disk +degraded/);
    expect(stdout).toMatch(/for administrators: trellis login/);
    expect(stdout).not.toContain(version);
    expect(stdout).not.toContain(parts[1]?.name);
  });

  it('fails while the server is not ready', async () => {
    const body = { ...health, status: 'starting', ready: false, disk: null };
    const service = await startService({ 'GET /health': () => ({ status: 503, body }) });
    expect((await trellis(['status', '--server', service.url])).code).toBe(1);
  });
});

describe('a process of its own', () => {
  it('prints data to stdout and exits with 0', async () => {
    const { code, stdout, stderr } = await spawnTrellis(['uid', 'Word', 'dog']);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'BxyPG9n8k8B5DiSDyAHN3U\n',
      stderr: '',
    });
  });

  it('exits with 1 when it fails and with 2 when called wrongly', async () => {
    const [failed, wrong] = await Promise.all([
      spawnTrellis(['status', '--server', 'http://127.0.0.1:9']),
      spawnTrellis(['uid']),
    ]);
    expect([failed.code, wrong.code]).toEqual([1, 2]);
    expect(failed.stderr).toMatch(/^error: cannot reach/);
  });
});
