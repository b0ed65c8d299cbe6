import { expect, test } from 'vitest';
import { RawConnection } from './testing/raw-connection.ts';
import { startTestServer } from './testing/test-server.ts';

test('over one connection each request is who its own header says', async () => {
  await using at = await startTestServer();
  const { onAuthenticate } = at.services;
  const seen: string[] = [];
  at.services.onAuthenticate = (token) => {
    seen.push(token);
    return onAuthenticate(token);
  };
  await using connection = await RawConnection.open(at.port);
  const long = `Bearer ${'y'.repeat(2_000)}`;
  const headers: [string | undefined, number][] = [
    ['Bearer admin', 200],
    ['Bearer admin', 200],
    ['Bearer nobody', 401],
    ['Bearer nobody', 401],
    ['bearer  admin ', 200],
    ['Basic admin', 401],
    [undefined, 401],
    [long, 401],
    [long, 401],
    ['Bearer admin', 200],
  ];
  for (const [header, status] of headers) {
    const line = header === undefined ? '' : `Authorization: ${header}\r\n`;
    connection.send(`GET /api/login/check HTTP/1.1\r\nHost: x\r\n${line}\r\n`);
    expect((await connection.response()).status).toBe(status);
  }
  const y = 'y'.repeat(2_000);
  expect(seen).toEqual(['admin', 'admin', 'nobody', 'nobody', 'admin', y, y, 'admin']);
});
