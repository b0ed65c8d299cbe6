import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page, Response } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { startPrefixProxy } from '../support/prefix-proxy.ts';
import { requireChromium } from '../support/requires.ts';
import { ADMIN_PASSWORD } from '../support/trellis-process.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';
import { zipOf } from '../support/zip.ts';

/**
 * How the front end that comes with the server reaches a browser; what it does there is tested page
 * by page.
 */
let at: TestWorkspace;
beforeAll(async () => {
  at = await startWorkspace();
});
afterAll(() => at[Symbol.asyncDispose]());

const putSettings = (body: object) =>
  at.http.send({ method: 'PUT', path: '/api/workspace/settings', token: at.token, body });

/** By the form, with the keyboard. */
async function signIn(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'User name' }).fill('admin');
  await page.getByLabel('Password').fill(ADMIN_PASSWORD);
  await page.keyboard.press('Enter');
  await expectSignedIn(page);
}

/** The menu is there, and the WebSocket of the page. */
async function expectSignedIn(page: Page): Promise<void> {
  await page.getByRole('banner').getByRole('status').getByText('Online').waitFor();
}

test('the front end comes with the server: files by relative URLs, to be kept for ever', async () => {
  const { text } = await at.http.send({ path: '/' });
  const urls = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '');
  expect(urls.length).toBeGreaterThan(2);
  expect(urls.filter((url) => !url.startsWith('./'))).toEqual([]);
  for (const url of urls) {
    const { status, headers } = await at.http.send({ path: url.slice(1) });
    expect(status, url).toBe(200);
    if (url.startsWith('./assets/')) expect(headers.get('cache-control')).toContain('immutable');
  }
});

/** A server that says that it is a replica, and answers as its primary does, to pages of that. */
async function startReplica(primary: string) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    response.setHeader('access-control-allow-origin', primary);
    response.setHeader(
      'access-control-allow-headers',
      headers['access-control-request-headers'] ?? '',
    );
    response.setHeader('access-control-expose-headers', 'x-msk-sequence, x-request-id');
    if (method === 'OPTIONS') return response.end();
    if (url === '/health/replica') return response.end('{"isReplica":true,"hasReplicas":false}');
    asked.push(`${method} ${url}`);
    const { authorization = '' } = headers;
    const given = await fetch(new URL(url, primary), { headers: { authorization } });
    response.statusCode = given.status;
    response.setHeader('x-msk-sequence', given.headers.get('x-msk-sequence') ?? '0');
    return response.end(await given.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe.skipIf(requireChromium())('in a browser', () => {
  const browser = useBrowser();
  afterEach(() => putSettings({ interface: null, ReplicaURLs: '' }));

  test('it runs under its policy, on a narrow screen too', async () => {
    const viewport = { width: 375, height: 700 };
    await using opened = await browser.page(at, { viewport });
    const { page, complaints } = opened;
    await signIn(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
    expect(complaints).toEqual([]);
  });

  test('it comes compressed', async () => {
    await using opened = await browser.page(at);
    const { page } = opened;
    // Without what the browser has kept.
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Network.setCacheDisabled', { cacheDisabled: true });
    const answers: Response[] = [];
    page.on('response', (answer) => void answers.push(answer));
    /** What came as it is, although it is worth compressing. */
    const uncompressed = async (): Promise<string[]> => {
      answers.length = 0;
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      const files = answers.filter((answer) => /\.(?:js|css)$|\/$/.test(answer.url()));
      const headers = await Promise.all(files.map((answer) => answer.allHeaders()));
      expect(headers.length).toBeGreaterThan(3);
      return headers
        .filter((all) => all['content-encoding'] !== 'br' && Number(all['content-length']) > 1_024)
        .map((all) => String(all['content-type']));
    };
    await expect.poll(uncompressed, { timeout: 20_000, interval: 500 }).toEqual([]);
  });

  test('it may be below a path of a proxy', async () => {
    using proxy = await startPrefixProxy(at.server.url, '/graph');
    const there = { server: proxy, http: at.http };
    await using opened = await browser.page(there);
    await signIn(opened.page);
    expect(opened.page.url()).toMatch(`${proxy.url}/`);
    expect(opened.complaints).toEqual([]);
    await using signedIn = await browser.signedInPage(there);
    await expectSignedIn(signedIn.page);
  });

  test('it stays at /trellis/ while an interface of ours is served, whose pages hear of the next', async () => {
    await using open = await browser.signedInPage(at);
    await expectSignedIn(open.page);
    const body = await zipOf({ 'index.html': '<!doctype html><title>ours</title><h1>Ours</h1>' });
    const headers = { 'content-type': 'application/zip' };
    const upload = { method: 'PUT', path: '/api/interfaces/ours', token: at.token, body, headers };
    expect((await at.http.send(upload)).status).toBe(200);
    expect((await putSettings({ interface: 'ours' })).status).toBe(200);
    await open.page.getByText('There is a new version of this page.').waitFor();
    await open.page.getByRole('button', { name: 'Load it' }).click();
    await open.page.getByRole('heading', { name: 'Ours' }).waitFor();

    // With the session of the root.
    await using back = await browser.signedInPage(at, { path: 'trellis' });
    await expectSignedIn(back.page);
    expect(back.page.url()).toMatch(`${at.server.url}/trellis/`);
    expect(back.complaints).toEqual([]);
  });

  test('it reads from the replicas that the server names in the page', async () => {
    using replica = await startReplica(at.server.url);
    await putSettings({ ReplicaURLs: replica.url });
    await using opened = await browser.signedInPage(at);
    await expectSignedIn(opened.page);
    await expect.poll(() => replica.asked).toContain('GET /api/login/check');
    expect(opened.complaints).toEqual([]);
  });

  test('a replica that joins later is asked from the next load on, as the policy is older', async () => {
    using replica = await startReplica(at.server.url);
    await using opened = await browser.page(at);
    const { page, complaints } = opened;
    const told = page
      .waitForEvent('websocket')
      .then((socket) =>
        socket.waitForEvent('framereceived', ({ payload }) =>
          String(payload).includes(replica.url),
        ),
      );
    await signIn(page);
    await putSettings({ ReplicaURLs: replica.url });
    await told;
    await page.getByRole('link', { name: 'First steps' }).click();
    await page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor();
    expect([...complaints, ...replica.asked]).toEqual([]);
    await page.reload();
    await expect.poll(() => replica.asked).toContain('GET /api/login/check');
    expect(complaints).toEqual([]);
  });
});
