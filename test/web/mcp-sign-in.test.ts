import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { callTool } from '../support/mcp-client.ts';
import { Desk } from '../support/mcp-desk.ts';
import { items, People, PASSWORD } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

describe.skipIf(requireChromium())('an MCP client that signs in by itself', () => {
  const browser = useBrowser();
  let people: People;
  let callback: Server;
  let desk: Desk;
  /** What a hostile page shows in a frame. */
  let framed = '';
  beforeAll(async () => {
    people = await People.start();
    await people.add('ann', { firstName: 'Ann', lastName: 'Lee' });
    callback = createServer(({ url }, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(url === '/frame' ? `<iframe src="${framed}"></iframe>` : 'Back in the client.');
    });
    await once(callback.listen(0, '127.0.0.1'), 'listening');
    const { port } = callback.address() as AddressInfo;
    desk = new Desk(`http://127.0.0.1:${port}/callback`);
  });
  afterAll(async () => {
    callback.close();
    await people[Symbol.asyncDispose]();
  });

  const transport = () =>
    new StreamableHTTPClientTransport(new URL('/api/mcp', people.workspace.server.url), {
      authProvider: desk,
    });

  async function connect() {
    const client = new Client({ name: 'desk', version: '1' });
    await client.connect(transport());
    return { client, [Symbol.asyncDispose]: () => client.close() };
  }

  /** Begins as the client does, and leaves the page on the question. */
  async function open(page: Page): Promise<StreamableHTTPClientTransport> {
    const begun = transport();
    await expect(new Client({ name: 'desk', version: '1' }).connect(begun)).rejects.toThrow(
      UnauthorizedError,
    );
    await page.goto(String(desk.authorizationUrl));
    return begun;
  }

  async function answer(page: Page, button: 'Allow' | 'Deny'): Promise<URLSearchParams> {
    const returned = page.waitForURL(`${desk.redirectUrl}?**`);
    await page.getByRole('button', { name: button }).click();
    await returned;
    return new URL(page.url()).searchParams;
  }

  test('is let in by its user, calls a tool, goes on by itself, and is sent away again', async () => {
    await using opened = await browser.page(people.workspace);
    const { page, complaints } = opened;
    const begun = await open(page);
    await page.getByLabel('User name or e-mail address').fill('ann');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Let “Desk <b>&amp;</b>” in?' }).waitFor();
    await page.getByText('Ann Lee').waitFor();
    await page.getByText(`a program on this device (${new URL(desk.redirectUrl).host})`).waitFor();
    await page.getByText('system__search', { exact: true }).waitFor();
    await expectAccessible(page);
    const given = await answer(page, 'Allow');
    expect(Object.fromEntries(given)).toMatchObject({
      state: 'state of the desk',
      iss: people.workspace.server.url,
    });
    await begun.finishAuth(given.get('code') ?? '');

    await using connected = await connect();
    const search = { query: 'nothing' };
    expect((await callTool(connected, 'system__search', search)).isError).toBe(false);
    const old = desk.tokens();
    // As if the access token had expired: the client refreshes, and sends its call again.
    desk.saveTokens({ ...old!, access_token: 'expired' });
    expect((await callTool(connected, 'system__search', search)).isError).toBe(false);
    expect(desk.tokens()?.refresh_token).not.toBe(old?.refresh_token);

    await using administration = await browser.signedInPage(people.workspace, {
      path: '#/manage/access/tokens',
    });
    const row = administration.page.getByRole('row', { name: /^Desk/ });
    await row.getByText('as Ann Lee').waitFor();
    await row.getByRole('button', { name: /^Revoke/ }).click();
    const dialog = administration.page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('Revoked').waitFor();
    await expect(callTool(connected, 'system__search', search)).rejects.toThrow(UnauthorizedError);
    expect([...complaints, ...administration.complaints]).toEqual([]);
  });

  test('is withdrawn by an administrator, who sees whose it is', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      userName: 'ann',
      password: PASSWORD,
    });
    desk = new Desk(desk.redirectUrl);
    const begun = await open(opened.page);
    await begun.finishAuth((await answer(opened.page, 'Allow')).get('code') ?? '');
    await using connected = await connect();

    await using administration = await browser.signedInPage(people.workspace, {
      path: '#/manage/access/clients',
    });
    const { page } = administration;
    const row = page.getByRole('row', { name: /^Desk/ });
    await row.getByText(desk.redirectUrl).waitFor();
    await expectAccessible(page);
    await row.getByRole('button', { name: /users of Desk/ }).click();
    const users = page.getByRole('dialog', { name: /^Users of Desk/ });
    await users.getByText('Ann Lee').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await row.getByRole('button', { name: /^Withdraw Desk/ }).click();
    const dialog = page.getByRole('alertdialog', { name: /^Withdraw the client/ });
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('No clients yet').waitFor();
    const call = callTool(connected, 'system__search', { query: 'nothing' });
    await expect(call).rejects.toThrow(UnauthorizedError);
    expect([...opened.complaints, ...administration.complaints]).toEqual([]);
  });

  test('is sent away by its user, on the page of preferences', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      userName: 'ann',
      password: PASSWORD,
    });
    const { page, complaints } = opened;
    desk = new Desk(desk.redirectUrl);
    const begun = await open(page);
    const given = await answer(page, 'Allow');
    await begun.finishAuth(given.get('code') ?? '');
    await using connected = await connect();

    await page.goto(`${people.workspace.server.url}/#/preferences`);
    const table = page.getByRole('table', { name: 'Programs that act as you' });
    await table.waitFor();
    await expectAccessible(page);
    await table.getByRole('button', { name: /^End access of Desk/ }).click();
    const dialog = page.getByRole('alertdialog', { name: /^End the access of Desk/ });
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'End access' }).click();
    // It closes once the server has answered; until then the table behind it cannot be reached.
    await dialog.waitFor({ state: 'detached' });
    await table.waitFor({ state: 'detached' });
    const call = callTool(connected, 'system__search', { query: 'nothing' });
    await expect(call).rejects.toThrow(UnauthorizedError);
    expect(complaints).toEqual([]);
  });

  test('hears that its user does not want it, who may sign in as somebody else first', async () => {
    await using opened = await browser.signedInPage(people.workspace);
    const { page, complaints } = opened;
    const grants = async () =>
      items(await people.as('admin', 'GET', '/api/tokens?kind=mcp')).length;
    const before = await grants();
    await open(page);
    await page.getByRole('button', { name: 'Sign in as somebody else' }).click();
    await page.getByLabel('User name or e-mail address').fill('ann');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Ann Lee').waitFor();
    const given = await answer(page, 'Deny');
    expect(given.get('error')).toBe('access_denied');
    expect(await grants()).toBe(before);
    expect(complaints).toEqual([]);
  });

  test('cannot have its page framed, or answered without a press', async () => {
    await using opened = await browser.signedInPage(people.workspace);
    const { page } = opened;
    await open(page);
    await page.getByRole('heading', { name: /^Let/ }).waitFor();
    const address = page.url();
    framed = address;
    const refused = page.waitForEvent('console', (message) =>
      message.text().includes('frame-ancestors'),
    );
    await page.goto(new URL('/frame', desk.redirectUrl).href);
    expect((await refused).text()).toContain("frame-ancestors 'none'");
    await page.goto(`${people.workspace.server.url}/#/authorize?request=forged`);
    await page.getByText('This request cannot be answered').waitFor();
    expect(await page.getByRole('button', { name: 'Allow' }).count()).toBe(0);
  });
});
