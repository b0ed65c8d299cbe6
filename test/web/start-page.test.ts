import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../../tools/browser.ts';
import { requireChromium } from '../support/requires.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let at: TestWorkspace;
let browser: Browser;
let replica: Server;
let replicaUrl: string;

/** Answers as a replica does, with its CORS. */
async function startReplica(origin: string): Promise<Server> {
  const server = createServer((_request, response) => {
    response.setHeader('access-control-allow-origin', origin);
    response.end(
      JSON.stringify({
        isReplica: true,
        hasReplicas: false,
        replicaUID: 'u',
        replicaName: 'calm-heron-12',
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Opens the page of the server, and notes what the browser complains about. */
async function openPage(): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(at.server.url);
  return { page, complaints };
}

describe.skipIf(requireChromium())('the page of a server', () => {
  beforeAll(async () => {
    at = await startWorkspace();
    replica = await startReplica(at.server.url);
    replicaUrl = `http://127.0.0.1:${portOf(replica)}`;
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser.close();
    replica.close();
    await at[Symbol.asyncDispose]();
  });

  test('says how the server is, and how to sign in', async () => {
    const { page, complaints } = await openPage();
    const state = page.getByRole('region', { name: 'This server' });
    await state.getByRole('status').getByText('Ready').waitFor();
    expect(await state.getByRole('definition').allTextContents()).toEqual([
      'Primary',
      expect.stringMatching(/^\d+\.\d+\.\d+$/),
      at.server.url,
    ]);
    const command = await page.getByRole('region', { name: 'Command' }).textContent();
    expect(command).toBe(`trellis login --server ${at.server.url}`);
    expect(await page.getByRole('button', { name: 'Check again' }).isVisible()).toBe(false);
    expect(complaints, 'the policy of the page lets everything through that it does').toEqual([]);
    await page.close();
  });

  test('says which replicas answer, and asks again when told to', async () => {
    await at.http.send({
      method: 'PUT',
      path: '/api/workspace/settings',
      token: at.token,
      body: { ReplicaURLs: `${replicaUrl};${at.server.url}` },
    });
    const { page, complaints } = await openPage();
    const servers = page.getByRole('region', { name: 'Servers to read from' });
    await servers.getByText('Answers as calm-heron-12').waitFor();
    await servers.getByText('Answers, but is no replica').waitFor();
    expect(await servers.getByRole('listitem').getByRole('link').allTextContents()).toEqual([
      replicaUrl,
      at.server.url,
    ]);
    expect(complaints).toEqual([]);

    replica.closeAllConnections();
    replica.close();
    // By the keyboard alone.
    const again = page.getByRole('button', { name: 'Check again' });
    await again.focus();
    await page.keyboard.press('Enter');
    await servers.getByText('Does not answer').waitFor();
    await page.close();
  });

  test('fits a narrow screen', async () => {
    const page = await browser.newPage({ viewport: { width: 375, height: 700 } });
    await page.goto(at.server.url);
    await page.getByRole('status').getByText('Ready').waitFor();
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBe(375);
    await page.close();
  });
});
