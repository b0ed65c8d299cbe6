import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { write } from '../support/code-editor.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const GREET = `export default function ({ body, log }: Scope<{ name: string; times?: number }>) {
  log.info('greets', { name: body.name });
  return 'hello ' + body.name;
}
`;

const READS = `export default () => 'one';\n`;
const WRITES = `export default async function ({ graph }: Scope) {
  await graph.addOrUpdate('Author', 'Ada', {});
}
`;

describe.skipIf(requireChromium())('the page of an endpoint', () => {
  const browser = useBrowser();
  let people: People;
  const open = (name: string, tab = '') =>
    browser.signedInPage(people.workspace, {
      path: `#/endpoints/edit/${name}${tab && `?tab=${tab}`}`,
    });
  const create = async (name: string, code: string, isReadOnly = false) => {
    const body = { name, code, isReadOnly };
    const answer = await people.as('admin', 'POST', '/api/endpoints/create', body);
    if (answer.status !== 201) throw new Error(`creating ${name}: ${answer.text}`);
  };
  const bodyOf = (page: Page) => page.getByRole('textbox', { name: 'Body of the run, as JSON' });
  const resultOf = (page: Page) => page.getByRole('region', { name: 'Result of the run' });

  beforeAll(async () => {
    people = await People.start();
    await people.as('admin', 'PUT', '/api/schema', LIBRARY_SCHEMA);
  });
  afterAll(() => people[Symbol.asyncDispose]());

  test('gives a sample of the body, and runs a draft without saving it', async () => {
    await create('greet', GREET);
    await using opened = await open('greet');
    const { page, complaints } = opened;
    const body = bodyOf(page);
    await body.getByText('"name": ""').waitFor();
    const code = page.getByRole('textbox', { name: 'Code of greet' });
    await write(page, body, '{"name": "Ada"}');
    await write(page, code, GREET.replace('hello', 'good morning'));
    await page.getByText('The code compiles').waitFor();
    await code.press('Control+Enter');
    const result = resultOf(page);
    await result.getByText('good morning Ada').waitFor();
    await result.getByRole('list', { name: 'Log lines of the run' }).getByText('greets').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await result.getByText('"hello Ada"').waitFor();
    await page.getByRole('button', { name: 'Run draft' }).click();
    await result.getByText('good morning Ada').waitFor();
    const { json } = await people.as('admin', 'GET', '/api/endpoints/greet');
    expect(json).toMatchObject({ version: 1, code: GREET });

    await write(page, body, '{"name": 7}');
    await page.getByRole('button', { name: 'Run draft' }).click();
    await result.getByRole('alert').getByText('invalid_request').waitFor();
    await page.getByRole('tab', { name: 'Calls' }).click();
    const calls = page.getByRole('table', { name: 'Last calls of greet' });
    await expect.poll(() => calls.getByRole('row').count()).toBe(5);
    const rows = await calls.getByRole('row').allInnerTexts();
    expect(rows.map((row) => /Draft|Call\b/.exec(row)?.[0])).toEqual([
      undefined,
      'Draft',
      'Draft',
      'Call',
      'Draft',
    ]);
    expect(rows[1]).toMatch(/admin[\s\S]*400[\s\S]*invalid_request/);
    await calls.getByText('One line').first().click();
    await calls.getByText('greets').first().waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('applies the name that is meant', async () => {
    await create('books', `export default ({ q }: Scope) => q().startAt('Book').nodes();\n`);
    await using opened = await open('books');
    const { page } = opened;
    const code = page.getByRole('textbox', { name: 'Code of books' });
    await write(page, code, `export default ({ q }: Scope) => q().startAt('Bok').nods();\n`);
    const problems = page.getByRole('list', { name: 'Problems' });
    await problems.getByRole('button', { name: 'Apply Book' }).click();
    await problems.getByRole('button', { name: 'Apply nodes' }).click();
    await page.getByText('The code compiles').waitFor();
    await expect.poll(() => code.innerText()).toContain(`startAt('Book').nodes()`);
  });

  test('says what the types cannot say outside', async () => {
    const draft = 'export default ({ body }: Scope<{ at: Map<string, 1> }>) => body.at.size;\n';
    await create('noted', draft);
    await using opened = await open('noted');
    await opened.page.getByText('body.at is not checked: its type is a Map').waitFor();
  });

  test('has no calls at first', async () => {
    await create('quiet', GREET);
    await using opened = await open('quiet', 'calls');
    await opened.page.getByText('No calls yet').waitFor();
    await expectAccessible(opened.page);
  });

  test('says in its place what could not be fetched, and what was typed stays', async () => {
    await create('parts', READS);
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
    await create('reads', READS, true);
    await using opened = await open('reads');
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
