import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  scratchFolder,
  spawnTrellis,
  trellis,
  trellisAtTerminal,
} from '../testing/command-line.ts';
import { type Request, refusal, startService } from '../testing/service.ts';

const EXPIRES_AT = '2030-01-02T03:04:05.000Z';

function startSignIn() {
  return startService({
    'POST /api/login/create': ({ body }: Request) => {
      const { user, password } = JSON.parse(body);
      return password === 'right horse'
        ? { body: { token: `token-of-${user}`, expiresAt: EXPIRES_AT } }
        : refusal(401, 'invalid_credentials');
    },
    'GET /api/schema': () => ({ body: { nodes: [], edges: [] } }),
    'POST /api/login/end': () => ({ status: 204 }),
  });
}

function surroundings() {
  const folder = scratchFolder();
  const env = { HOME: '/nowhere', XDG_CONFIG_HOME: folder };
  return { env, path: join(folder, 'trellis', 'profile.json') };
}

describe('login', () => {
  it('keeps the session where only its owner can read it, and later commands use it', async () => {
    const service = await startSignIn();
    const { env, path } = surroundings();
    const login = ['login', '--server', service.url, '--user', 'ann', '--password-stdin'];
    const { code, stdout, stderr } = await spawnTrellis(login, { env, stdin: 'right horse\n' });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe(`Signed in to ${service.url} as ann until ${EXPIRES_AT}.\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toContain('right horse');

    expect((await trellis(['schema', 'get'], { env })).code).toBe(0);
    expect(service.requests.at(-1)?.headers.authorization).toBe('Bearer token-of-ann');
  });

  it('shows the token to nobody', async () => {
    const service = await startSignIn();
    const { env, path } = surroundings();
    const login = ['login', '--server', service.url, '--user', 'ann', '--password-stdin', '--json'];
    const { stdout, stderr } = await trellis(login, { env, stdin: 'right horse' });
    expect(JSON.parse(stdout)).toEqual({
      server: service.url,
      user: 'ann',
      expiresAt: EXPIRES_AT,
      profile: path,
    });
    expect(stdout + stderr).not.toContain('token-of-ann');
  });

  it('sends a token to the server that issued it only', async () => {
    const [home, other] = [await startSignIn(), await startSignIn()];
    const { env } = surroundings();
    const login = ['login', '--server', `${home.url}/`, '--user', 'ann', '--password-stdin'];
    await trellis(login, { env, stdin: 'right horse' });
    await trellis(['schema', 'get', '--server', other.url], { env });
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
    await trellis(['schema', 'get', '--server', home.url], { env });
    expect(home.requests.at(-1)?.headers.authorization).toBe('Bearer token-of-ann');
  });

  it('asks at the terminal and shows nothing of the password', async () => {
    const service = await startSignIn();
    const { env } = surroundings();
    const { code, stderr } = await trellisAtTerminal(['login', '--server', service.url], {
      env,
      typed: ['ann\r', 'right horse\r'],
    });
    expect(code).toBe(0);
    expect(stderr).toContain('User: ');
    expect(stderr).toContain('ann');
    expect(stderr).toContain('Password: ');
    expect(stderr).not.toContain('horse');
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual({
      user: 'ann',
      password: 'right horse',
    });
  });

  it('shows nothing of a password that was pasted with the user name', async () => {
    const service = await startSignIn();
    const typed = ['ann\rright horse\r'];
    const { code, stderr } = await trellisAtTerminal(['login', '--server', service.url], { typed });
    expect(code).toBe(0);
    expect(stderr).not.toContain('horse');
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('gives up at %s', async (_, key) => {
    const service = await startSignIn();
    const typed = ['ann\r', key];
    const { code, stderr } = await trellisAtTerminal(['login', '--server', service.url], { typed });
    expect(code).toBe(1);
    expect(stderr).toContain('error: given up');
    expect(service.requests).toEqual([]);
  });

  it('keeps nothing when the password is wrong', async () => {
    const service = await startSignIn();
    const { env, path } = surroundings();
    const login = ['login', '--server', service.url, '--user', 'ann', '--password-stdin'];
    const { code, stderr } = await trellis(login, { env, stdin: 'wrong' });
    expect(code).toBe(1);
    expect(stderr).toContain('refused: invalid_credentials');
    expect(() => statSync(path)).toThrow('ENOENT');
  });
});

describe('logout', () => {
  it('ends the session of one server, and forgets it', async () => {
    const service = await startSignIn();
    const { env } = surroundings();
    const login = ['login', '--server', service.url, '--user', 'ann', '--password-stdin'];
    await trellis(login, { env, stdin: 'right horse' });
    const { code, stderr } = await trellis(['logout'], { env });
    expect(code).toBe(0);
    expect(stderr).toBe(`Signed out of ${service.url}.\n`);
    expect(service.requests.at(-1)).toMatchObject({
      headers: { authorization: 'Bearer token-of-ann' },
    });
    await trellis(['schema', 'get'], { env });
    expect(service.requests.at(-1)?.headers.authorization).toBeUndefined();
    expect((await trellis(['logout'], { env })).stderr).toContain('You were not signed in');
  });
});
