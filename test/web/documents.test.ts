import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { field } from '../support/http-client.ts';
import { says } from '../support/llm-server.ts';
import { LlmWorkspace } from '../support/llm-workspace.ts';
import type { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

describe.skipIf(requireChromium())('the page of documents', () => {
  const browser = useBrowser();
  let scene: LlmWorkspace;
  let people: People;
  beforeAll(async () => {
    scene = await LlmWorkspace.start();
    await scene.use('openai-compatible');
    people = scene.people;
    await people.add('rita', { isReadOnlyAdmin: true });
    await people.as('admin', 'PUT', '/api/schema', {
      nodes: [
        { type: 'Report', key: 'Number', fields: { Body: 'String' } },
        { type: 'Person', key: 'Name', fields: { Born: 'Int', Trade: 'String' } },
      ],
      edges: [],
    });
    const fields = { Body: 'In May we met Ada Mole, a mate, and her friend Ben.' };
    await people.as('admin', 'POST', '/api/ingest', {
      operations: [{ op: 'addOrUpdate', type: 'Report', key: '1', fields }],
    });
    const person = (key: string, quote: string, confidence: number, values: object) => ({
      type: 'Person',
      key,
      quote,
      confidence,
      fields: values,
    });
    const nodes = [
      person('Ada Mole', 'Ada Mole, a mate', 0.9, { Trade: 'mate', Born: 1901 }),
      person('Ben', 'her friend Ben', 0.4, {}),
    ];
    scene.provider.script.turn = () => says(JSON.stringify({ nodes, edges: [] }));
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  test('texts are read, a value is changed beside its quote, and proposals are decided', async () => {
    const path = '#/admin/documents';
    await using opened = await browser.signedInPage(people.workspace, { path });
    const { page, complaints } = opened;
    await page.getByText('Nothing is read yet').waitFor();
    await page.getByRole('button', { name: 'Read documents' }).click();
    const start = page.getByRole('dialog');
    await start.getByLabel('Documents').selectOption('Report');
    await start.getByRole('group', { name: 'Read these texts' }).getByLabel('Body').check();
    await start.getByRole('group', { name: 'Types to look for' }).getByLabel('Person').check();
    await expectAccessibleInBothThemes(page);
    await start.getByRole('button', { name: 'Read', exact: true }).click();
    const table = page.getByRole('table', { name: 'Proposals' });
    await table.getByText('Born: 1901 (not in the quote)').waitFor();
    await expectAccessibleInBothThemes(page);

    await page.getByRole('button', { name: 'Show the source of Ada Mole' }).click();
    const source = page.getByRole('dialog');
    await source.locator('mark', { hasText: 'Ada Mole, a mate' }).waitFor();
    await expectAccessibleInBothThemes(page);
    await source.getByLabel('Born').fill('1902');
    await source.getByRole('button', { name: 'Change' }).click();
    await table.getByText('Born: 1902').waitFor();

    await page.getByLabel('Confidence').selectOption('0.9');
    await page.getByRole('button', { name: 'Approve all 1' }).click();
    await page.getByText('Written: 1').waitFor();
    await page.getByLabel('Confidence').selectOption('0');
    await page.getByLabel('Choose Ben').check();
    await page.getByRole('button', { name: 'Reject 1 chosen' }).click();
    await page.getByText('Nothing to decide').waitFor();
    const found = await people.as('admin', 'POST', '/api/node/query', { type: 'Person', take: 9 });
    expect(Object(found.json).items).toMatchObject([{ Name: 'Ada Mole', Born: 1902 }]);
    expect(complaints).toEqual([]);
  });

  test('a run that is out of tokens goes on', async () => {
    const keys = ['2', '3'];
    await people.as('admin', 'POST', '/api/ingest', {
      operations: keys.map((key) => ({
        op: 'addOrUpdate',
        type: 'Report',
        key,
        fields: { Body: 'Nobody was met.' },
      })),
    });
    const started = await people.as('admin', 'POST', '/api/documents/extractions', {
      types: ['Person'],
      documents: { nodes: keys.map((key) => ({ type: 'Report', key })), fields: ['Body'] },
      maxTokens: 1,
    });
    const path = `#/admin/documents?extraction=${field(started.json, 'extraction')}`;
    await using opened = await browser.signedInPage(people.workspace, { path });
    const { page } = opened;
    await page.getByText('out of tokens', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('completed', { exact: true }).waitFor();
    await page.getByText('Read 2 of 2 texts.').waitFor();
  });

  test('a read-only administrator looks at it and changes nothing', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: '#/admin/documents',
      userName: 'rita',
    });
    const { page } = opened;
    await page
      .getByRole('button', { name: /^Review/ })
      .first()
      .click();
    await page.getByText('Nothing to decide').waitFor();
    expect(await page.getByRole('button', { name: 'Read documents' }).isDisabled()).toBe(true);
  });
});
