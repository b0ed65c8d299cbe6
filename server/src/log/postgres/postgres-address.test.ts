import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { parsePostgresAddress, type PostgresAddress } from './postgres-address.ts';

function parsed(text: string): PostgresAddress {
  const address = parsePostgresAddress(text);
  if (typeof address === 'string') throw new Error(address);
  return address;
}

it('reads hosts, ports, names and parameters', () => {
  const { name, servers } = parsed(
    'postgres://us%40er:p%2Fw@db1,db2:5433,[::1]/gra%20ph?sslmode=require&connect_timeout=2&port=6000',
  );
  expect(name).toBe('db1:6000,db2:5433,::1:6000/gra ph');
  expect(servers.map(({ host, port }) => [host, port])).toEqual([
    ['db1', 6_000],
    ['db2', 5_433],
    ['::1', 6_000],
  ]);
  expect(servers[0]).toMatchObject({
    user: 'us@er',
    password: 'p/w',
    database: 'gra ph',
    connectionTimeoutMillis: 2_000,
    ssl: { rejectUnauthorized: false },
  });
});

it('finds a socket in a folder', () => {
  const { servers } = parsed('postgresql://user@/graph?host=%2Fvar%2Frun%2Fpostgresql');
  expect(servers).toMatchObject([{ host: '/var/run/postgresql', port: 5_432, ssl: false }]);
});

it('checks who answers, unless it is told not to', async () => {
  await using folder = await temporaryFolder();
  const ca = join(folder.path, 'ca.pem');
  await writeFile(ca, 'authorities');
  const tlsOf = (host: string, parameters: string) =>
    parsed(`postgres://user@${host}/graph?${parameters}`).servers[0]?.ssl;
  const file = Buffer.from('authorities');
  expect(tlsOf('db', '')).toEqual({ host: 'db', rejectUnauthorized: true });
  expect(tlsOf('localhost', '')).toBe(false);
  expect(tlsOf('localhost', 'sslmode=verify-full')).toMatchObject({ rejectUnauthorized: true });
  expect(tlsOf('db', 'sslmode=disable')).toBe(false);
  expect(tlsOf('db', 'sslmode=require')).toEqual({ rejectUnauthorized: false });
  const checked = { ca: file, rejectUnauthorized: true };
  const anyName = { checkServerIdentity: expect.any(Function) };
  const root = `sslrootcert=${encodeURIComponent(ca)}`;
  expect(tlsOf('db', `sslmode=require&${root}`)).toMatchObject({ ...checked, ...anyName });
  expect(tlsOf('db', `sslmode=verify-ca&${root}`)).toMatchObject({ ...checked, ...anyName });
  expect(tlsOf('db', `sslmode=verify-full&${root}`)).toEqual({ ...checked, host: 'db' });
});

it.each([
  ['', 'it is not of the form'],
  ['mysql://user@host/graph', 'it is not of the form'],
  ['postgres://user:p@ss@host/graph', 'it is not of the form'],
  ['postgres://host/graph', 'it names no user'],
  ['postgres://user@host', 'it names no database'],
  ['postgres://user@/graph', 'its hosts are not'],
  ['postgres://user@a,,b/graph', 'its hosts are not'],
  ['postgres://user@host:70000/graph', 'its hosts are not'],
  ['postgres://user@host:0/graph', 'its hosts are not'],
  ['postgres://user@host/graph?sslmode=prefer', 'its sslmode is not'],
  ['postgres://user@host/graph?sslmode=verify-ca', 'needs sslrootcert'],
  ['postgres://user@host/graph?sslrootcert=missing.pem', 'sslrootcert cannot be read'],
  ['postgres://user@host/graph?target_session_attrs=any', 'target_session_attrs must be'],
  ['postgres://user@host/graph?options=-c%20fsync', 'its parameter "options" is not known'],
  ['postgres://user@host/graph?connect_timeout=0', 'connect_timeout is not a whole number'],
  ['postgres://us%er@host/graph', 'a broken %-escape'],
])('refuses %j without repeating it', (text, reason) => {
  const answer = parsePostgresAddress(text);
  expect(answer).toContain(reason);
  if (text !== '') expect(answer).not.toContain(text);
});
