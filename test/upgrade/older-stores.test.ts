import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { HttpClient } from '../support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { fillWorkspace, readWorkspace, type Recorded } from './kept-workspace.ts';

const STORES = join(import.meta.dirname, 'stores');
const archives = readdirSync(STORES);

describe('what an earlier version wrote', () => {
  test('is kept, of the first one too', () => {
    expect(archives.length).toBeGreaterThanOrEqual(3);
  });

  test.each(archives)('%s opens, says what it said, and is written on', async (archive) => {
    await using folder = await temporaryFolder();
    execFileSync('tar', ['-xzf', join(STORES, archive), '-C', folder.path]);
    const storage = join(folder.path, 'store');
    const said: Recorded = JSON.parse(readFileSync(join(folder.path, 'said.json'), 'utf8'));
    const isEncrypted = archive.includes('-encrypted');
    const env = isEncrypted ? { MSK_GRAPH_MASTER_KEY: 'the key of kept stores' } : {};
    expect(Object.keys(said)).toEqual(expect.arrayContaining(['schema', 'endpoint runs']));
    {
      await using server = await TrellisProcess.start({ storage, env });
      // The key of the kept stores is shorter than what new ones take.
      expect(server.stderr.includes('trellis storage rotate-key')).toBe(isEncrypted);
      const http = new HttpClient(server.url);
      const token = await http.signIn();
      expect(await readWorkspace(http, token)).toMatchObject(said);
      const found = async () => {
        const call = { path: '/api/endpoints/run/system/search', token, body: { query: 'emma' } };
        return Object((await http.send(call)).json).hits?.length;
      };
      // Also users of a version that did not find them by their addresses.
      const same = { userName: 'lovelace', email: 'ADA@Example.org' };
      const taken = await http.send({ path: '/api/users', token, body: same });
      const hasAda = JSON.stringify(said['users'] ?? []).includes('ada@example.org');
      expect(taken.status).toBe(hasAda ? 409 : 201);
      await fillWorkspace(http, token);
      await expect.poll(found).toBeGreaterThan(0);
      await server.stop();
    }
    const at = { ...env, MSK_GRAPH_STORAGE: storage };
    const args = ['storage', 'verify'];
    const verified = await runTrellis(args, { home: folder.path, server: '', env: at });
    expect(verified, verified.stderr).toMatchObject({ code: 0 });
  });
});
