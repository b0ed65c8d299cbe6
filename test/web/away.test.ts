import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { write } from '../support/code-editor.ts';
import { HttpClient } from '../support/http-client.ts';
import { requireChromium } from '../support/requires.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

const CODE = `export default () => 'one';\n`;
const CHANGED = `export default () => 'typed before the server went away';\n`;
const KEY = { MSK_JWT_KEY: 'a key that replicas would have too' };

describe.skipIf(requireChromium())('when the server goes away', () => {
  const browser = useBrowser();

  test('code that was typed stays, and is saved once it is back', async () => {
    await using folder = await temporaryFolder();
    let server = await TrellisProcess.start({ storage: folder.path });
    const { port } = new URL(server.url);
    const http = new HttpClient(server.url);
    const token = await http.signIn();
    const made = { name: 'typed', code: CODE };
    expect(await http.send({ path: '/api/endpoints/create', token, body: made })).toMatchObject({
      status: 201,
    });
    await using opened = await browser.signedInPage(
      { server, http },
      { path: '#/endpoints/edit/typed' },
    );
    const { page } = opened;
    const code = page.getByRole('textbox', { name: 'Code of typed', exact: true });
    await write(page, code, CHANGED);
    await server.kill();
    await page.getByText('The primary does not answer. You can read').waitFor();
    await page.getByText(/It was last there at /).waitFor();
    for (const tab of ['Settings', 'History', 'Calls', 'Code, not saved']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('heading', { level: 1, name: 'typed' }).waitFor();
    }
    expect(await code.innerText()).toContain('typed before the server went away');
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);

    server = await TrellisProcess.start({ storage: folder.path, env: { MSK_PORT: port } });
    await page.getByRole('banner').getByText('Online').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 2').first().waitFor();
    const { json } = await new HttpClient(server.url).send({ path: '/api/endpoints/typed', token });
    expect(json).toMatchObject({ code: CHANGED, version: 2 });
    await server.kill();
  });

  test('replicas show the figures that were read last, and of when they are', async () => {
    await using folder = await temporaryFolder();
    const server = await TrellisProcess.start({ storage: folder.path, env: KEY });
    const at = { server, http: new HttpClient(server.url) };
    await using opened = await browser.signedInPage(at, { path: '#/admin/replicas' });
    const { page } = opened;
    await page.getByText('No replica is registered').waitFor();
    await page.getByRole('term').filter({ hasText: 'Current lag' }).waitFor();
    await server.kill();
    await page.getByText(/These figures are of .*: the server does not give newer ones/).waitFor();
    await page.getByRole('term').filter({ hasText: 'Current lag' }).waitFor();
    await page.getByText('No replica is registered').waitFor();
    await page.getByText(/It was last there at /).waitFor();
  });

  test('replicas say that their port is taken', async () => {
    await using folder = await temporaryFolder();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const env = { ...KEY, MSK_REPLICATION_PORT: String(port) };
    await using server = await TrellisProcess.start({ storage: folder.path, env });
    const at = { server, http: new HttpClient(server.url) };
    await using opened = await browser.signedInPage(at, { path: '#/admin/replicas' });
    await opened.page.getByText('The port for replicas could not be opened').waitFor();
    await opened.page.getByText(/MSK_REPLICATION_PORT or set another one/).waitFor();
    expect(opened.complaints).toEqual([]);
    taken.close();
  });
});
