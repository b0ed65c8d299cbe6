import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { ChatScene } from '../support/chat-scene.ts';
import { DefinitionsScene } from '../support/definitions-scene.ts';
import { PageRequests } from '../support/page-requests.ts';
import { requireChromium } from '../support/requires.ts';

const DESKTOP = { width: 1_280, height: 800 };
const PHONE = { width: 390, height: 800 };
/** Roles of what one can do something with. */
const CONTROL =
  /^\s*- '?(?:button|link|tab|switch|checkbox|radio|textbox|combobox|searchbox|spinbutton|slider|option|menuitem)(?: "((?:[^"\\]|\\.)*)")?/;
/** What is beside the page on a desktop opens with these on a phone. */
const OPENERS = ['Conversations', 'Filters'];
const CODE = 'export default async () => 1;\n';

/** Without counts and times, which may change between two looks. */
const plain = (name: string) => name.replaceAll(/[^\p{L}]+/gu, ' ').trim();

/** The names of what the page lets one do. */
async function controlsOf(page: Page): Promise<ReadonlySet<string>> {
  const snapshots = await Promise.all(
    [page.getByRole('main'), page.getByRole('dialog')].map(async (part) =>
      (await part.count()) === 0 ? '' : part.first().ariaSnapshot(),
    ),
  );
  const names = snapshots
    .join('\n')
    .split('\n')
    .flatMap((line) => CONTROL.exec(line)?.[1] ?? []);
  return new Set(names.map(plain).filter((name) => name !== ''));
}

/**
 * The names of controls that are cut off at a side of the screen, so that a finger does not reach
 * them. A grid of data and a picture are larger than a screen by their nature; they scroll.
 */
function cutControls(page: Page): Promise<readonly string[]> {
  const controls = page
    .getByRole('main')
    .locator('a, button, input, select, textarea, summary, [role=switch], [role=checkbox]');
  return controls.evaluateAll(
    (all, screen) =>
      all.flatMap((control) => {
        const { left, right, width } = control.getBoundingClientRect();
        const isReached = width < 2 || (left >= -1 && right <= screen + 1);
        if (isReached || control.closest('[role=grid], .react-flow') !== null) return [];
        return [control.getAttribute('aria-label') ?? control.textContent ?? control.outerHTML];
      }),
    PHONE.width,
  );
}

describe.skipIf(requireChromium())('on a phone', () => {
  const browser = useBrowser();
  let at: ChatScene;
  beforeAll(async () => {
    at = await ChatScene.start();
    const add = (path: string, body: object, method = 'POST') => at.ok('admin', method, path, body);
    await add('/api/migrations', { name: '001', code: CODE });
    await add('/api/admin/tasks', { name: 'nightly', cron: '0 3 1 1 *', endpoint: 'find' });
    await add('/api/groups/group', { name: 'gardeners' }, 'PUT');
    await add('/api/tokens', { kind: 'api', name: 'loader', scopes: ['ingestion'] });
    await add('/api/chatai/agents', { name: 'gardener', instructions: 'You know trees.' });
    const fetchAllowList = ['https://crm.example'];
    await add('/api/workspace/settings', { fetchAllowList }, 'PUT');
    await add('/api/webhooks', { name: 'CRM', url: 'https://crm.example/changes' });
    await add('/api/endpoints/create', {
      name: 'noted',
      code: `// trellis: on created Note\n${CODE}`,
    });
    await add('/api/endpoints/run/find', { name: 'oak' });
    const definitions = new DefinitionsScene(at.people.workspace);
    await definitions.import({ 'endpoints/deployed.ts': CODE });
    await at.looksUp('admin', 'oak', 'It grows [1].');
  });
  afterAll(() => at[Symbol.asyncDispose]());

  test('every action of the desktop can be reached, on every page', async () => {
    const oak = await at.uidOf('oak');
    await using opened = await browser.signedInPage(at.people.workspace, { viewport: DESKTOP });
    const { page, complaints } = opened;
    const requests = new PageRequests(page);
    const menu = page.getByRole('navigation', { name: 'Pages', includeHidden: true });
    const links = menu.getByRole('listitem', { includeHidden: true }).locator('a');
    await links.first().waitFor({ state: 'attached' });
    const listed: { path: string; title?: string }[] = await links.evaluateAll((all) =>
      all.map((link) => ({
        path: (link.getAttribute('href') ?? '').replace(/^.*#/, ''),
        title: link.textContent?.trim() ?? '',
      })),
    );
    expect(listed.length).toBeGreaterThan(30);
    const others = [
      `/node/${oak}`,
      `/graph?node=${oak}&view=table`,
      '/?q=oak',
      '/preferences',
      '/data/Note',
      '/assistant/agents/gardener',
      '/endpoints/edit/find',
      ...['settings', 'history', 'calls', 'logs'].map((tab) => `/endpoints/edit/find?tab=${tab}`),
      '/admin/schema?tab=indexes',
      '/admin/schema?tab=picture',
      '/admin/logs?tab=audit',
      '/admin/logs?tab=files',
    ].map((path) => ({ path, title: undefined }));
    const missing: Record<string, readonly string[]> = {};
    for (const { path, title } of [...listed, ...others]) {
      await page.setViewportSize(DESKTOP);
      await page.goto(`${at.people.workspace.server.url}/#${path}`);
      const titled = title === undefined ? {} : { name: title, exact: true };
      await page
        .getByRole('heading', { level: 1, ...titled })
        .first()
        .waitFor();
      await requests.settled();
      const wanted = await controlsOf(page);
      await page.setViewportSize(PHONE);
      // What only a phone shows may ask for more.
      await requests.settled();
      const lacks = async () => {
        const there = await controlsOf(page);
        return [...wanted].filter((name) => !there.has(name));
      };
      let left = await lacks();
      for (const name of OPENERS) {
        const opener = page.getByRole('main').getByRole('button', { name });
        if (left.length === 0 || !(await opener.isVisible())) continue;
        await opener.click();
        await page.getByRole('dialog').waitFor();
        const there = await controlsOf(page);
        left = left.filter((control) => !there.has(control));
        await page.keyboard.press('Escape');
      }
      if (left.length > 0) missing[path] = left;
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBe(PHONE.width);
      expect(await cutControls(page), path).toEqual([]);
    }
    expect(missing).toEqual({});
    expect(complaints).toEqual([]);
  });
});
