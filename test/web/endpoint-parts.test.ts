import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { write } from '../support/code-editor.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const READS = `export default () => 'one';\n`;
const WRITES = `export default async function ({ graph }: Scope) {
  await graph.addOrUpdate('Author', 'Ada', {});
}
`;

describe.skipIf(requireChromium())('the page of an endpoint', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.as('admin', 'PUT', '/api/schema', LIBRARY_SCHEMA);
    for (const [name, isReadOnly] of [
      ['parts', false],
      ['reads', true],
    ] as const) {
      const body = { name, code: READS, isReadOnly };
      const { status } = await people.as('admin', 'POST', '/api/endpoints/create', body);
      expect(status).toBe(201);
    }
  });
  afterAll(() => people[Symbol.asyncDispose]());

  test('says in its place what could not be fetched, and what was typed stays', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: '#/admin/license' });
    const { page } = opened;
    // Whoever asks for it, and whenever: in advance, or when the tab is opened.
    await page.route(/\/settings-tab-/, (route) => route.abort());
    await page.goto(`${people.workspace.server.url}/#/endpoints/edit/parts`);
    const code = page.getByRole('textbox', { name: 'Code of parts', exact: true });
    await write(page, code, `${READS}// typed here\n`);
    await page.getByRole('tab', { name: 'Settings' }).click();
    const fault = page.getByRole('alert').filter({ hasText: 'This part could not be shown' });
    await fault.waitFor();
    await page.getByRole('heading', { level: 1, name: 'parts' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('tab', { name: 'Code, not saved' }).click();
    expect(await code.innerText()).toContain('// typed here');
    await page.unroute(/\/settings-tab-/);
    await page.getByRole('tab', { name: 'Settings' }).click();
    await fault.getByRole('button', { name: 'Try again' }).click();
    await page
      .getByRole('button', { name: /^Save settings|^Save/ })
      .first()
      .waitFor();
    await fault.waitFor({ state: 'detached' });
  });

  test('says that code was not saved where read-only is on', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: '#/endpoints/edit/reads',
    });
    const { page, complaints } = opened;
    const code = page.getByRole('textbox', { name: 'Code of reads', exact: true });
    await write(page, code, WRITES);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The code was not saved: the endpoint is read-only').waitFor();
    expect(await page.getByText('stays off').count()).toBe(0);
    const { json } = await people.as('admin', 'GET', '/api/endpoints/reads');
    expect(json).toMatchObject({ code: READS, isReadOnly: true });
    expect(complaints).toEqual([]);
  });
});
