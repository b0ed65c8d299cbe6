import { expect, test, vi } from 'vitest';
import { RawConnection } from './testing/raw-connection.ts';
import { testServers } from '#app/testing/test-server.ts';

const startTestServer = testServers();

test('over one connection each request is who its own header says', async () => {
  await using at = await startTestServer();
  const { admin } = at.tokens;
  const seen = vi.spyOn(at.services.identity, 'authenticate');
  await using connection = await RawConnection.open(at.port);
  const long = `Bearer ${'y'.repeat(2_000)}`;
  const headers: [string | undefined, number][] = [
    [`Bearer ${admin}`, 200],
    [`Bearer ${admin}`, 200],
    ['Bearer nobody', 401],
    ['Bearer nobody', 401],
    [`bearer  ${admin} `, 200],
    [`Basic ${admin}`, 401],
    [undefined, 401],
    [long, 401],
    [long, 401],
    [`Bearer ${admin}`, 200],
  ];
  for (const [header, status] of headers) {
    const line = header === undefined ? '' : `Authorization: ${header}\r\n`;
    connection.send(`GET /api/login/check HTTP/1.1\r\nHost: x\r\n${line}\r\n`);
    expect((await connection.response()).status).toBe(status);
  }
  const y = 'y'.repeat(2_000);
  const tokens = seen.mock.calls.map(([token]) => token);
  expect(tokens).toEqual([admin, admin, 'nobody', 'nobody', admin, y, y, admin]);
});
