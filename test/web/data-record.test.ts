import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeUid } from '@trellis/client/uid.ts';
import {
  expectAccessibleInBothThemes,
  type SignedInOptions,
  useBrowser,
} from '../support/browser.ts';
import { book, DataScene, PHONE, tabTo } from '../support/data-scene.ts';
import { requireChromium } from '../support/requires.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const uid = nodeUid('Book', 'dune');

describe.skipIf(requireChromium())('a record beside the table', () => {
  const browser = useBrowser();
  let scene: DataScene;
  beforeAll(async () => {
    scene = await DataScene.start([
      book('dune', { Title: 'Dune', Pages: 412, Tags: ['desert', 'sand'] }),
      book('emma', { Title: 'Emma', Pages: 474 }),
      book('lost', { Title: 'Lost', Pages: 1 }),
      { op: 'addOrUpdate', type: 'Author', key: 'Frank Herbert', fields: { Born: 1920 } },
      {
        op: 'link',
        from: { type: 'Book', key: 'lost' },
        edge: 'WrittenBy',
        inverse: 'Wrote',
        to: { type: 'Author', key: 'Frank Herbert' },
      },
    ]);
    await scene.people.addTeam('Readers');
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const open = (path: string, options?: SignedInOptions) => scene.open(browser, path, options);
  const recordOf = (of: string) => scene.ok('GET', `/api/node/${of}/record`);

  test('is corrected with three clicks', async () => {
    await using opened = await open('#/data/Book');
    const { page, complaints } = opened;
    await page.getByRole('gridcell', { name: 'Emma', exact: true }).click();
    const panel = page.getByRole('region', { name: 'Emma' });
    await panel.getByRole('textbox', { name: 'Pages' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('47x');
    await panel.getByText('Type a whole number').waitFor();
    await page.keyboard.press('Backspace');
    await page.keyboard.type('5');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('gridcell', { name: '475' }).waitFor();
    await expectAccessibleInBothThemes(page);
    expect(complaints).toEqual([]);
  });

  test('is opened, edited and closed by keyboard alone', async () => {
    await using opened = await open('#/data/Book?sort=Title');
    const { page, complaints } = opened;
    await page.getByRole('gridcell', { name: 'Dune', exact: true }).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('region', { name: /^Dune/ });
    await panel.getByRole('heading', { name: 'Dune' }).and(page.locator(':focus')).waitFor();
    await tabTo(page, panel.getByRole('textbox', { name: 'Title' }));
    await page.keyboard.press('End');
    await page.keyboard.type(' Messiah');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell', { name: 'Dune Messiah' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('grid').and(page.locator(':focus')).waitFor();
    expect(await page.getByRole('region', { name: /^Dune/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('shows both values when two people change a field', async () => {
    await using opened = await open(`#/data/Book?node=${uid}`);
    const { page, complaints } = opened;
    const pages = page.getByRole('textbox', { name: 'Pages' });
    await pages.fill('500');
    await page.getByRole('textbox', { name: 'Tags' }).fill('spice');
    await scene.ok('PATCH', `/api/node/${uid}`, { fields: { Pages: 413 } });
    await page.getByRole('button', { name: 'Save' }).click();
    const both = page.getByRole('group', { name: 'Two values of Pages' });
    await both.getByText('Saved by somebody else: 413').waitFor();
    await expectAccessibleInBothThemes(page);
    await both.getByRole('button', { name: 'Take theirs' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('gridcell', { name: 'spice' }).waitFor();
    expect(await pages.inputValue()).toBe('413');
    expect(complaints).toEqual([]);
  });

  test('keeps what was typed while the server refuses it or is closed', async () => {
    await using opened = await open(`#/data/Book?node=${uid}`);
    const { page } = opened;
    const title = page.getByRole('textbox', { name: 'Title' });
    await title.fill('Children of Dune');
    await page.route('**/api/node/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The changes were not saved').waitFor();
    await page.getByRole('button', { name: 'Close the record' }).click();
    await page.getByRole('gridcell', { name: 'dune', exact: true }).click();
    expect(await title.inputValue()).toBe('Children of Dune');
  });

  test('asks before what was typed is lost, and leads back to it', async () => {
    await using opened = await open(`#/data/Book?node=${uid}`);
    const { page, complaints } = opened;
    const title = page.getByRole('textbox', { name: 'Title' });
    await title.fill('God Emperor');
    await page.getByRole('button', { name: 'Close the record' }).click();
    const types = page.getByRole('navigation', { name: 'Types of nodes' });
    await types.getByRole('link', { name: 'Author' }).click();
    const unsaved = page.getByRole('status').filter({ hasText: 'Not saved yet' });
    await unsaved.waitFor();
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Graph' })
      .click();
    const asked = page.getByRole('alertdialog', { name: 'Leave with unsaved changes?' });
    await asked.getByText('One node has changes that are not saved').waitFor();
    await expectAccessibleInBothThemes(page);
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await unsaved.getByRole('link').click();
    expect(await title.inputValue()).toBe('God Emperor');
    const leaving = page.waitForEvent('dialog');
    const left = page.reload();
    const dialog = await leaving;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.accept();
    await left;
    // It was not saved, and nothing asks for it any more.
    await title.waitFor();
    expect(await title.inputValue()).not.toBe('God Emperor');
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Graph' })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Graph' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('has a time and other names, which are edited too', async () => {
    await using opened = await open(`#/data/Book?node=${nodeUid('Book', 'emma')}`);
    const { page, complaints } = opened;
    const time = page.getByRole('textbox', { name: 'Timestamp' });
    await time.fill('');
    await page.getByText('A node always has a time').waitFor();
    await time.fill('2024-05-01T10:30Z');
    await page.getByRole('textbox', { name: 'Other names' }).fill('emma-1815\nemma-2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The node is saved').waitFor();
    expect(await recordOf(nodeUid('Book', 'emma'))).toMatchObject({
      node: { Timestamp: '2024-05-01T10:30:00.000Z', Title: 'Emma' },
      aliases: ['emma-1815', 'emma-2'],
    });
    await page.reload();
    const keys = page.getByRole('textbox', { name: 'Other names' });
    await keys.waitFor();
    expect(await keys.inputValue()).toBe('emma-1815\nemma-2');
    await keys.fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The node is saved').waitFor();
    expect(await recordOf(nodeUid('Book', 'emma'))).toMatchObject({ aliases: [] });
    expect(complaints).toEqual([]);
  });

  test('is shared, linked and taken back on a phone', async () => {
    const phone = nodeUid('Book', 'phone');
    await scene.ok('POST', '/api/node', { type: 'Book', key: 'phone', fields: { Pages: 1 } });
    await scene.ok('PATCH', `/api/node/${phone}`, { fields: { Pages: 2 } });
    await using opened = await open(`#/data/Book?node=${phone}`, { viewport: PHONE });
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Share' }).click();
    await page.keyboard.type('Readers');
    await page.getByRole('option', { name: 'Readers' }).click();
    await page.getByRole('button', { name: 'Save access' }).click();
    await page.getByText('The access of the node is changed').waitFor();
    await page.getByRole('button', { name: 'Add link' }).click();
    await page.keyboard.type(nodeUid('Author', 'Frank Herbert'));
    await page.getByRole('option', { name: 'Frank Herbert' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('list', { name: 'WrittenBy' }).getByRole('link').waitFor();
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByText('The values of version 1 are back').waitFor();
    expect(await recordOf(phone)).toMatchObject({
      node: { Pages: 1 },
      edges: expect.arrayContaining([{ edge: 'WrittenBy', direction: 'out', count: 1 }]),
    });
    await expectAccessibleInBothThemes(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    expect(complaints).toEqual([]);
  });

  test('is created, and deleted with what hangs on it, on a phone', async () => {
    await using opened = await open('#/data/Book', { viewport: PHONE });
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'New Book' }).click();
    await page.getByRole('textbox', { name: 'Isbn' }).fill('new');
    await page.getByRole('textbox', { name: 'Title' }).fill('A new one');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'A new one' }).waitFor();
    expect(await page.getByRole('grid').count()).toBe(0);
    await page.getByRole('button', { name: 'Close the record' }).click();
    // The new row comes first, and moves the others.
    await page.getByRole('gridcell', { name: 'A new one' }).waitFor();
    await page.getByRole('gridcell', { name: 'Lost', exact: true }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Delete Lost?' });
    await dialog.getByText('Its links go with it').waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('gridcell', { name: 'A new one' }).waitFor();
    const lost = page.getByRole('gridcell', { name: 'Lost', exact: true });
    await lost.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    expect(complaints).toEqual([]);
  });

  test('gets a key where its type has no name for it, or none', async () => {
    const memo = { type: 'Memo', fields: { Text: 'String' } };
    const nodes = [...LIBRARY_SCHEMA.nodes, memo];
    await scene.ok('PUT', '/api/schema', { ...LIBRARY_SCHEMA, nodes });
    for (const key of ['first', '']) {
      await using opened = await open('#/data/Memo');
      const { page, complaints } = opened;
      await page.getByRole('button', { name: 'New Memo' }).click();
      await page.getByRole('textbox', { name: 'Id', description: /Optional/ }).fill(key);
      await page.getByRole('textbox', { name: 'Text' }).fill(`Key: ${key}`);
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('The node is created').waitFor();
      expect(complaints).toEqual([]);
    }
    expect(await scene.ok('POST', '/api/cce/system/table', { type: 'Memo' })).toMatchObject({
      items: [
        expect.not.objectContaining({ Id: expect.anything() }),
        { Text: 'Key: first', Id: 'first', UID: nodeUid('Memo', 'first') },
      ],
    });
  });

  test('is linked with four clicks, and the link is removed again', async () => {
    await using opened = await open('#/data/Book');
    const { page, complaints } = opened;
    await page.getByRole('gridcell', { name: 'emma', exact: true }).click();
    await page.getByRole('button', { name: 'Add link' }).click();
    await page.keyboard.type(nodeUid('Author', 'Frank Herbert'));
    await page.getByRole('option', { name: 'Frank Herbert' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const links = page.getByRole('list', { name: 'WrittenBy' });
    await links.getByRole('link', { name: 'Frank Herbert' }).waitFor();
    await expectAccessibleInBothThemes(page);
    await links.getByRole('button', { name: 'Remove the link to Frank Herbert' }).click();
    await page.getByText('It is linked to nothing.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('is shared with a team with three clicks', async () => {
    await using opened = await open('#/data/Book');
    const { page, complaints } = opened;
    await page.getByRole('gridcell', { name: 'emma', exact: true }).click();
    await page.getByText('Seen by everyone who is signed in, as the rule of its type').waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    await page.keyboard.type('Readers');
    await page.getByRole('option', { name: 'Readers' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Teams' }).getByText('Readers').waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: 'Save access' }).click();
    await page.getByText('The access of the node is changed').waitFor();
    expect(
      await scene.people.outcome('bob', 'GET', `/api/node/${nodeUid('Book', 'emma')}`),
    ).toEqual([404, 'node_not_found']);
    await page.getByText('Seen by Readers, owners and administrators, as it is shared').waitFor();
    expect(complaints).toEqual([]);
  });

  test('gets the values of an earlier version back', async () => {
    await scene.ok('PATCH', `/api/node/${uid}`, { fields: { Pages: 1_000 } });
    await scene.ok('PATCH', `/api/node/${uid}`, { fields: { Pages: 2_000 } });
    await using opened = await open(`#/data/Book?node=${uid}`);
    const { page, complaints } = opened;
    await page
      .getByRole('button', { name: /^Restore version/ })
      .first()
      .click();
    await page.getByRole('gridcell', { name: '1000' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Pages' }).inputValue()).toBe('1000');
    expect(complaints).toEqual([]);
  });

  test('is opened from its page by whoever may write it', async () => {
    await using opened = await open(`#/node/${uid}`);
    const { page, complaints } = opened;
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Pages' }).waitFor();
    await page.reload();
    await page.getByRole('textbox', { name: 'Pages' }).waitFor();
    expect(complaints).toEqual([]);
    await using other = await open(`#/node/${uid}`, { userName: 'bob' });
    await other.page.getByRole('link', { name: 'Open in graph' }).waitFor();
    expect(await other.page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
  });

  test('is only read by whoever may not write it', async () => {
    await using opened = await open(`#/data/Book?node=${uid}`, { userName: 'bob' });
    const { page, complaints } = opened;
    await page.getByRole('definition').first().waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    const names = await page.getByRole('main').getByRole('button').allInnerTexts();
    expect(names.join(' ')).not.toMatch(/New|Delete|Save|Share|Add/);
    expect(complaints).toEqual([]);
  });
});
