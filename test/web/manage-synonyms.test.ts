import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const PATH = '#/manage/synonyms?lang=en';
const HOSTILE = ['<script>alert(1)</script>', 'مرفأ'] as const;
const NO_LISTS = { Synonyms: [], Alternates: [], Blocked: [] };

describe.skipIf(requireChromium())('the page of synonyms', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('manager', { roles: ['CanManageSynonyms'] });
    await people.add('rita', { isReadOnlyAdmin: true });
    await people.add('plain');
    await people.as('admin', 'PUT', '/api/schema', {
      nodes: [{ type: 'Note', key: 'Slug', fields: { Text: 'String' } }],
      edges: [],
    });
    await people.as('admin', 'PUT', '/api/search/settings', {
      types: { Note: { language: 'en', fields: { Text: { text: {} } } } },
    });
    await people.as('admin', 'POST', '/api/ingest', {
      operations: [
        { op: 'addOrUpdate', type: 'Note', key: 'n', fields: { Text: 'harbour harbours barber' } },
      ],
    });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const pathOf = (token: string) =>
    `/api/search/synonyms/for?${new URLSearchParams({ token, lang: 'en' })}`;
  const stored = async (token: string) =>
    Object((await people.as('admin', 'GET', pathOf(token))).json);
  const put = (token: string, lists: object) =>
    people.as('admin', 'PUT', pathOf(token), { ...NO_LISTS, ...lists });

  test('a term is added with suggestions, in both directions, changed and forgotten', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: PATH,
      userName: 'manager',
    });
    const { page, complaints } = opened;
    await page.getByText('No terms yet: English').waitFor();
    await page.getByRole('button', { name: 'Add term' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add term: English' });
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('Enter a term.').waitFor();
    await dialog.getByLabel('Term').fill('harbor');
    await dialog.getByRole('button', { name: 'Continue' }).click();

    const panel = page.getByRole('dialog', { name: 'harbor' });
    await panel.getByRole('textbox', { name: 'Synonyms' }).fill(`port, ${HOSTILE[0]}`);
    await page.keyboard.press('Enter');
    await panel.getByRole('textbox', { name: 'Synonyms' }).fill(HOSTILE[1]);
    await page.keyboard.press('Enter');
    await panel.getByRole('button', { name: `Remove ${HOSTILE[0]}` }).waitFor();
    await panel.getByRole('button', { name: `Remove ${HOSTILE[1]}` }).click();
    await expect.poll(() => page.getByText('port', { exact: true }).count()).toBe(1);

    const slider = panel.getByRole('slider', { name: 'Suggestions at least this similar' });
    await slider.fill('1');
    await panel.getByText('No words are that similar.').waitFor();
    await slider.fill('0.7');
    await panel.getByRole('button', { name: 'Alternate: harbour', exact: true }).click();
    await panel.getByRole('button', { name: 'Remove harbour' }).waitFor();
    await panel.getByLabel('Store the other direction too').check();
    await expectAccessibleInBothThemes(page);
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'harbor', exact: true }).waitFor();
    const after = { Synonyms: ['port', HOSTILE[0]], Alternates: ['harbour'], Blocked: [] };
    expect(await stored('harbor')).toMatchObject(after);
    expect(await stored('harbour')).toMatchObject({ Alternates: ['harbor'] });
    expect(await stored('port')).toMatchObject({ Synonyms: ['harbor'] });

    await page.getByRole('button', { name: 'Edit harbor', exact: true }).click();
    await panel.getByRole('button', { name: 'Remove port' }).click();
    await panel.getByRole('textbox', { name: 'Blocked' }).fill('arbor');
    await panel
      .getByLabel('What is stored already')
      .selectOption('Stays, and these lists are added');
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.waitFor({ state: 'detached' });
    expect(await stored('harbor')).toMatchObject({ ...after, Blocked: ['arbor'] });

    await page.getByRole('button', { name: 'Edit harbor', exact: true }).click();
    await panel.getByRole('button', { name: 'Forget term' }).click();
    const question = page.getByRole('alertdialog', { name: 'Forget the term “harbor”?' });
    await expectAccessibleInBothThemes(page);
    await question.getByRole('button', { name: 'Forget' }).click();
    await expect.poll(() => stored('harbor')).toMatchObject(NO_LISTS);
    expect(complaints).toEqual([]);
  });

  test('what the server refuses is said, and the lists stay', async () => {
    const path = `${PATH}&term=many`;
    await using opened = await browser.signedInPage(people.workspace, {
      path,
    });
    const { page } = opened;
    const panel = page.getByRole('dialog', { name: 'many' });
    await panel.getByRole('textbox', { name: 'Synonyms' }).fill('x');
    const words = Array.from({ length: 100 }, (_, i) => `word${i}`);
    const pasted = JSON.stringify(`x\n${words.join('\n')}`);
    await panel.getByRole('textbox', { name: 'Alternates' }).focus();
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', ${pasted});
      const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.activeElement.dispatchEvent(paste);
    })()`);
    await panel.getByRole('button', { name: 'Remove word99' }).waitFor();
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByText('The term was not stored').waitFor();
    expect(await panel.getByRole('textbox', { name: 'Synonyms' }).inputValue()).toBe('x');
    await expectAccessibleInBothThemes(page);
  });

  test('language, search, links and pages stand in the address; terms are texts', async () => {
    await put(HOSTILE[0], { Synonyms: ['script'] });
    await put(HOSTILE[1], { Synonyms: ['ميناء'] });
    for (let i = 0; i < 51; i++) await put(`term${i}`, { Synonyms: [`other${i}`] });
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    await page.getByText(/^1 to 50 of/).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText(/^51 to/).waitFor();
    expect(page.url()).toContain('skip=50');
    await page.getByRole('searchbox', { name: 'Find a term' }).fill('script');
    await page.getByRole('cell', { name: HOSTILE[0], exact: true }).waitFor();
    await page.getByLabel('Show linked terms').check();
    await page.getByRole('cell', { name: 'script', exact: true }).waitFor();
    await expectAccessibleInBothThemes(page);
    await page.reload();
    await page.getByRole('cell', { name: 'script', exact: true }).waitFor();
    await page.getByLabel('Language').selectOption('German (de)');
    await page.getByText('No such terms').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a read-only administrator looks, and changes nothing', async () => {
    await put('car', { Synonyms: ['automobile'] });
    const path = `${PATH}&term=car`;
    await using opened = await browser.signedInPage(people.workspace, { path, userName: 'rita' });
    const { page } = opened;
    const panel = page.getByRole('dialog', { name: 'car' });
    await panel.getByText('automobile').waitFor();
    expect(await panel.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect(await panel.getByRole('textbox', { name: 'Blocked' }).isDisabled()).toBe(true);
    await panel.getByRole('button', { name: 'Close' }).click();
    await page.getByText('you are a read-only administrator').waitFor();
  });
});
