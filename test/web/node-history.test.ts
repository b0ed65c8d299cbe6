import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeUid } from '@trellis/client/uid.ts';
import { expectAccessible, useBrowser, type PageOptions } from '../support/browser.ts';
import { PASSWORD, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const NARROW = { width: 375, height: 800 };
const SCHEMA = {
  nodes: [
    {
      type: 'Note',
      key: 'Name',
      label: 'Name',
      fields: { Text: 'String', Rank: 'Int', Open: 'Bool', Tags: 'String[]', Secret: 'String' },
    },
  ],
  edges: [],
};
const uid = (key: string): string => nodeUid('Note', key);

describe.skipIf(requireChromium())('the history of a node', () => {
  const browser = useBrowser();
  let people: People;

  const write = async (key: string, fields: object, more: object = {}): Promise<void> => {
    const operations = [{ op: 'addOrUpdate', type: 'Note', key, fields, ...more }];
    const { status, text } = await people.as('admin', 'POST', '/api/ingest', { operations });
    if (status !== 200) throw new Error(text);
  };

  beforeAll(async () => {
    people = await People.start();
    await people.add('bob');
    const team = await people.addTeam('Insiders');
    await people.as('admin', 'PUT', '/api/schema', SCHEMA);
    await people.as('admin', 'PUT', '/api/access/types', {
      types: { Note: { fields: { Secret: { teams: [team] } } } },
    });
    await write('changed', { Text: 'as it began', Open: true, Secret: 's1' });
    await write('changed', { Text: 'as it went on', Rank: 7, Open: false, Tags: ['a', 'b'] });
    await write('changed', { Secret: 's2' });
    await write('changed', { Text: `${'long '.repeat(400)}end`, Rank: null });
    await write('changed', { Text: 'x'.repeat(20_000) });
    await write('unchanged', { Text: 'as it is' });
    for (let i = 0; i <= 24; i++) await write('often', { Rank: i });
    await write('named', {});
    await write('named', {}, { aliases: ['other'] });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const open = (path: string, options: PageOptions & { userName?: string } = {}) =>
    browser.signedInPage(people.workspace, {
      path,
      ...(options.userName === undefined ? {} : { password: PASSWORD }),
      ...options,
    });

  test.each(['light', 'dark'] as const)(
    'tells who changed which fields, from what to what: %s',
    async (colorScheme) => {
      await using opened = await open(`#/node/${uid('changed')}`, { colorScheme });
      const { page, complaints } = opened;
      const history = page.getByRole('region', { name: 'History' });
      const versions = history.getByRole('list', { name: 'Changes of the node' }).locator('> li');
      await versions.nth(4).waitFor();
      expect(await versions.count()).toBe(5);
      const second = versions.nth(3);
      expect(await second.innerText()).toMatch(/^admin\b/);
      await second.getByText('version 2').waitFor();
      expect(await second.getByRole('term').allInnerTexts()).toEqual([
        'Text',
        'Rank',
        'Open',
        'Tags',
      ]);
      const told = await second.getByRole('definition').allInnerTexts();
      expect(told.map((text) => text.split(/\s*\n\s*/).join(' '))).toEqual([
        'From as it began To as it went on',
        'From No value To 7',
        'From Yes To No',
        'From No value To a b',
      ]);
      await versions.nth(0).getByText('19.5 KiB, too large to be shown').waitFor();
      const long = versions.nth(1).getByRole('button', { name: /^Show all 2,003 characters/ });
      await long.focus();
      await page.keyboard.press('Enter');
      await versions
        .nth(1)
        .getByText(/long end$/)
        .waitFor();
      const first = versions.nth(4);
      await first.getByText('First version').waitFor();
      expect(await first.getByText('as it began').isVisible()).toBe(false);
      await first.locator('summary').focus();
      await page.keyboard.press('Enter');
      await first.getByText('as it began').waitFor();
      await expectAccessible(page);
      expect(complaints).toEqual([]);
    },
  );

  test('shows nobody what they may not read', async () => {
    await using opened = await open(`#/node/${uid('changed')}`, {
      userName: 'bob',
      viewport: NARROW,
    });
    const { page, complaints } = opened;
    const history = page.getByRole('region', { name: 'History' });
    const versions = history.getByRole('list', { name: 'Changes of the node' }).locator('> li');
    await versions.nth(2).waitFor();
    expect(await versions.count()).toBe(3);
    expect(await history.getByText(/Secret|^version|First version/).count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('is read page by page, with the keyboard too', async () => {
    await using opened = await open(`#/node/${uid('often')}`);
    const { page, complaints } = opened;
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('1 to 10 of 25').waitFor();
    await history.getByText('version 25', { exact: true }).waitFor();
    const next = history.getByRole('button', { name: 'Next' });
    await next.focus();
    await page.keyboard.press('Enter');
    await history.getByText('11 to 20 of 25').waitFor();
    await next.click();
    await history.getByText('First version').waitFor();
    expect(await next.isDisabled()).toBe(true);
    await history.getByRole('button', { name: 'Previous' }).click();
    await history.getByText('version 15', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('says where there is nothing to tell', async () => {
    await using opened = await open(`#/node/${uid('unchanged')}`);
    const { page, complaints } = opened;
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('It has not been changed').waitFor();
    await expectAccessible(page);
    await page.goto(`${people.workspace.server.url}/#/node/${uid('named')}`);
    await history.getByText('No field: another name of it was added or removed.').waitFor();
    await page.goto(`${people.workspace.server.url}/#/node/${people.uid('bob')}`);
    await page.getByRole('region', { name: 'Fields' }).waitFor();
    expect(await history.count()).toBe(0);
    await using bobs = await open(`#/node/${uid('unchanged')}`, { userName: 'bob' });
    await bobs.page.getByText('No changes are known').waitFor();
    expect(complaints).toEqual([]);
  });
});
