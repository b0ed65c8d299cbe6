import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { ChatScene } from '../support/chat-scene.ts';
import { PageRequests } from '../support/page-requests.ts';
import { DefinitionsScene } from '../support/definitions-scene.ts';
import { CODE } from '../support/every-definition.ts';
import { PASSWORD } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const SEARCHED = {
  types: { Note: { searchable: true, fields: { Title: { text: {} }, Text: { text: {} } } } },
};
const SELF_RUNNING = `// trellis: cron "@yearly"
// trellis: on created Note
${CODE}`;
const AGENT = { name: 'gardener', instructions: 'You know trees.' };

/** Pages that no menu lists, and tabs. */
async function otherPages(at: ChatScene, user: string): Promise<readonly string[]> {
  const oak = await at.uidOf('oak');
  const { chatUID } = await at.looksUp(user, 'oak', 'It grows [1].');
  return [
    `/node/${oak}`,
    `/graph?node=${oak}`,
    `/graph?node=${oak}&view=table`,
    `/chat/${chatUID}`,
    '/preferences',
    '/?q=oak',
    '/?type=["Note"]',
    '/api?operation=getNode',
    '/assistant/agents/gardener',
    '/no/such/page',
  ];
}

const TABS_OF_ADMINISTRATORS = [
  '/assistant/agents/gardener?tab=settings',
  '/assistant/tools?tab=metrics',
  '/assistant/tools?tab=search',
  '/endpoints/edit/find',
  '/endpoints/edit/find?tab=calls',
  '/endpoints/edit/find?tab=history',
  '/endpoints/edit/find?tab=logs',
  '/endpoints/edit/find?tab=settings',
  '/admin/schema?tab=indexes',
  '/admin/schema?tab=picture',
  '/admin/build?module=prices',
  '/admin/logs?live=true',
  '/admin/logs?tab=audit',
  '/admin/logs?tab=files',
];

/** The pages of the menu, which the viewer has. */
async function menuOf(page: Page): Promise<{ readonly path: string; readonly label: string }[]> {
  const menu = page.getByRole('navigation', { name: 'Pages', includeHidden: true });
  const links = menu.getByRole('listitem', { includeHidden: true }).locator('a');
  await links.first().waitFor({ state: 'attached' });
  return links.evaluateAll((all) =>
    all.map((link) => ({
      path: (link.getAttribute('href') ?? '').replace(/^.*#/, ''),
      label: link.textContent?.trim() ?? '',
    })),
  );
}

describe.skipIf(requireChromium())('a tour of all pages', () => {
  const browser = useBrowser();
  let at: ChatScene;
  let deployed: string;
  beforeAll(async () => {
    at = await ChatScene.start();
    await at.ok('admin', 'PUT', '/api/search/settings', SEARCHED);
    await at.ok('admin', 'POST', '/api/chatai/agents', AGENT);
    const module = { name: 'prices', code: 'export const price = 1;\n' };
    await at.ok('admin', 'POST', '/api/modules/create', module);
    const secret = { value: 'a key of a test', hosts: ['crm.example'] };
    await at.ok('admin', 'PUT', '/api/secrets/CRM_KEY', secret);
    await at.ok('admin', 'POST', '/api/endpoints/create', {
      name: 'self-running',
      code: SELF_RUNNING,
    });
    const definitions = new DefinitionsScene(at.people.workspace);
    const { deploymentId } = await definitions.import({ 'endpoints/deployed.ts': CODE });
    deployed = `/admin/deployments?deployment=${deploymentId}`;
  });
  afterAll(() => at[Symbol.asyncDispose]());

  test.each(['admin', 'ann'])('has nothing refused and no error, as %s', async (userName) => {
    const others = await otherPages(at, userName);
    await using opened = await browser.signedInPage(at.people.workspace, {
      ...(userName !== 'admin' && { userName, password: PASSWORD }),
    });
    const { page, complaints } = opened;
    const requests = new PageRequests(page);
    const visit = async (path: string) => {
      await page.goto(`${at.people.workspace.server.url}/#${path}`);
      // A dialog that an address opens hides what is below it from readers.
      const title = page.getByRole('heading', { level: 1, includeHidden: true });
      await title.first().waitFor();
      await requests.settled();
      expect([...requests.faults, ...complaints], path).toEqual([]);
    };
    const menu = await menuOf(page);
    expect(menu.length).toBeGreaterThan(userName === 'admin' ? 30 : 6);
    for (const { path } of menu) await visit(path);
    for (const path of others) await visit(path);
    if (userName === 'admin') {
      for (const path of [...TABS_OF_ADMINISTRATORS, deployed]) await visit(path);
    }
  });

  test('says which pages are not open, and which are', async () => {
    await using opened = await browser.signedInPage(at.people.workspace, {
      userName: 'ann',
      password: PASSWORD,
    });
    const { page, complaints } = opened;
    const requests = new PageRequests(page);
    await using admin = await browser.signedInPage(at.people.workspace);
    const own = new Set((await menuOf(page)).map(({ path }) => path));
    // All users may read who else there is.
    const closed = (await menuOf(admin.page)).filter(
      ({ path, label }) => !own.has(path) && label !== 'Users',
    );
    expect(closed.length).toBeGreaterThan(20);
    closed.push({ path: '/endpoints/edit/find', label: 'Endpoints' });
    for (const { path, label } of closed) {
      await page.goto(`${at.people.workspace.server.url}/#${path}`);
      await page.getByRole('heading', { level: 1, name: label, exact: true }).waitFor();
      await page.getByText('You may not open this page').waitFor();
      expect([...requests.faults, ...complaints], path).toEqual([]);
    }
    await expectAccessible(page);
    const offered = page.getByRole('list', { name: 'Pages that you may open' });
    await offered.getByRole('link', { name: 'Graph' }).click();
    await page.getByRole('heading', { level: 1, name: 'Graph' }).waitFor();
    expect([...requests.faults, ...complaints]).toEqual([]);
  });
});
