import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { expectAccessible, useBrowser, type PageOptions } from '../support/browser.ts';
import {
  ARTICLES,
  HIDDEN_ARTICLES,
  ODD_TITLES,
  openExploredArticles,
} from '../support/explored-articles.ts';
import { PASSWORD, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const NARROW = { width: 375, height: 800 };
const SEEN = ARTICLES + Object.keys(ODD_TITLES).length;

describe.skipIf(requireChromium())('the search', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await openExploredArticles();
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const asBob = (path: string, options: PageOptions = {}) =>
    browser.signedInPage(people.workspace, {
      userName: 'bob',
      password: PASSWORD,
      path,
      ...options,
    });
  const asAdmin = (path: string, options: PageOptions = {}) =>
    browser.signedInPage(people.workspace, { path, ...options });

  test('begins with what there is for the viewer', async () => {
    await using bobs = await asBob('#/');
    const here = bobs.page.getByRole('region', { name: 'What is here' });
    await here.getByRole('link', { name: `Article ${SEEN}` }).waitFor();
    await expectAccessible(bobs.page);
    await using admins = await asAdmin('#/', { colorScheme: 'dark' });
    const all = admins.page.getByRole('region', { name: 'What is here' });
    await all.getByRole('link', { name: `Article ${SEEN + HIDDEN_ARTICLES}` }).waitFor();
    await expectAccessible(admins.page);
    await all.getByRole('link', { name: 'Person 3' }).click();
    await summary(admins.page, '3 results');
    expect([...bobs.complaints, ...admins.complaints]).toEqual([]);
  });

  test('finds words, says what else was found, and why', async () => {
    await using opened = await asBob('#/');
    const { page, complaints } = opened;
    const box = page.getByRole('combobox', { name: 'Search for' });
    await box.fill('harbuor number7');
    await box.press('Enter');
    await page.getByText('Also found: harbour').waitFor();
    const hit = page.getByRole('article', { name: 'Mountains of the north, part 7' }).first();
    expect(await hit.locator('mark').allTextContents()).toEqual(['harbour', 'number7']);
    expect(page.url()).toContain('q=harbuor');
    await hit.getByRole('button', { name: /^Why was/ }).click();
    const panel = page.getByRole('dialog', { name: /^Why was “Mountains of the north, part 7”/ });
    await panel.getByRole('cell', { name: 'A typing error indexed as harbour' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await hit.getByRole('link', { name: /^Mountains/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Mountains of the north, part 7' }).waitFor();
    await page.goBack();
    await page.getByText('Also found: harbour').waitFor();
    expect(await box.inputValue()).toBe('harbuor number7');
    expect(complaints).toEqual([]);
  });

  test('completes the word that is typed, by the keyboard', async () => {
    await using opened = await asBob('#/');
    const { page } = opened;
    const box = page.getByRole('combobox', { name: 'Search for' });
    await box.pressSequentially('north mou');
    await page.getByRole('option', { name: 'north mountains 80 nodes' }).waitFor();
    await box.press('ArrowDown');
    await box.press('Enter');
    await summary(page, '80 results');
    expect(page.url()).toContain('q=north+mountains');
  });

  test('has nothing of what is hidden, neither hits nor counts nor suggestions', async () => {
    await using opened = await asBob('#/?q=smugglers');
    const { page } = opened;
    await page.getByText('Nothing was found').waitFor();
    const answered = page.waitForResponse((one) => one.url().endsWith('/system/suggest'));
    await page.getByRole('combobox', { name: 'Search for' }).fill('smug');
    expect(await (await answered).json()).toEqual([]);
    await using admins = await asAdmin('#/?q=smugglers');
    await summary(admins.page, `${HIDDEN_ARTICLES} results`);
    await admins.page.getByRole('combobox', { name: 'Search for' }).fill('smug');
    await admins.page.getByRole('option', { name: 'smugglers 5 nodes' }).waitFor();

    await page.goto(`${people.workspace.server.url}/#/?type=["Article"]`);
    await summary(page, `${SEEN} results`);
    const filters = page.getByRole('complementary', { name: 'Filters' });
    await filters.getByRole('checkbox', { name: 'Harbours 80' }).waitFor();
    expect(await filters.getByText('Secrets').count()).toBe(0);
    expect(await filters.getByText('contraband').count()).toBe(0);
    // They are the only ones of the year 2030.
    const bars = page.getByRole('group', { name: 'Results over time' }).getByRole('button');
    expect(await bars.last().getAttribute('aria-label')).toBe('2026: 4');
  });

  test('is limited by facets, which stand in the address and go one by one', async () => {
    await using opened = await asBob('#/?q=harbour');
    const { page, complaints } = opened;
    const filters = page.getByRole('complementary', { name: 'Filters' });
    await filters.getByRole('checkbox', { name: 'sea 60' }).check();
    await summary(page, '60 results');
    await filters.getByRole('checkbox', { name: 'Kitchens 20' }).check();
    await summary(page, '20 results');
    // Beside one that is chosen, others of the same field still can be.
    await filters.getByRole('checkbox', { name: 'Mountains 20' }).check();
    await summary(page, '40 results');
    await filters.getByRole('checkbox', { name: 'Yes 40' }).check();
    await summary(page, '40 results');
    await expectAccessible(page);

    const chips = page.getByRole('list', { name: 'Chosen filters' });
    expect((await chips.getByRole('listitem').allTextContents()).slice(0, -1)).toEqual([
      'Tags: sea',
      'Section: Kitchens',
      'Section: Mountains',
      'IsOpen: Yes',
    ]);
    await page.reload();
    await summary(page, '40 results');
    await chips.getByRole('button', { name: 'Remove Section: Kitchens' }).click();
    await summary(page, '20 results');
    await page.goBack();
    await summary(page, '40 results');
    await chips.getByRole('button', { name: 'Remove all filters' }).click();
    await summary(page, `${ARTICLES + 1} results`);
    expect(complaints).toEqual([]);
  });

  test('is limited in time by the bars, with the pointer and with the keyboard', async () => {
    await using opened = await asBob('#/?q=boats');
    const { page } = opened;
    const bars = page.getByRole('group', { name: 'Results over time' });
    const chips = page.getByRole('list', { name: 'Chosen filters' });
    await bars.getByRole('button', { name: '2018: 24' }).click();
    await summary(page, '24 results');
    await chips.getByText('Jan 1, 2018 to Dec 31, 2018').waitFor();
    await bars.getByRole('button', { name: 'March 2018: 2' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Enter');
    await summary(page, '4 results');
    await chips.getByText('Feb 1, 2018 to Mar 31, 2018').waitFor();
    await bars.locator('button[aria-label^="Feb 1, 2018"]:focus').waitFor();
    const filters = page.getByRole('complementary', { name: 'Filters' });
    await filters.getByLabel('To').fill('2018-02-28');
    await filters.getByLabel('To').press('Enter');
    await summary(page, '2 results');
    await chips.getByRole('button', { name: /^Remove/ }).click();
    await summary(page, `${ARTICLES} results`);
    const [first, last] = [
      bars.getByRole('button', { name: '2016: 24' }),
      bars.getByRole('button', { name: '2017: 24' }),
    ];
    await first.hover();
    await page.mouse.down();
    await last.hover();
    await page.mouse.up();
    await summary(page, '48 results');
  });

  test('turns pages, and sorts by time', async () => {
    await using opened = await asBob('#/?q=boats&sort=oldest');
    const { page } = opened;
    await page.getByText('1 to 20 of 240').waitFor();
    const first = page.getByRole('list', { name: 'Results' }).getByRole('heading').first();
    await first.getByText('Harbours of the north, part 0').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('21 to 40 of 240').waitFor();
    await first.getByText('Kitchens of the north, part 20').waitFor();
    await page.getByRole('combobox', { name: 'Order' }).selectOption('Newest first');
    await first.getByText('Kitchens of the north, part 239').waitFor();
    await page.getByText('1 to 20 of 240').waitFor();
  });

  test('says in words why it cannot search by meaning', async () => {
    await using opened = await asBob('#/?q=boats');
    const { page } = opened;
    await page.getByRole('combobox', { name: 'Find by' }).selectOption('Meaning');
    await page.getByText('Search by meaning is not set up').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Search for the words instead' }).click();
    await summary(page, `${ARTICLES} results`);
  });

  test('says what to try when nothing is found, and what was wrong with an address', async () => {
    await using opened = await asBob('#/?q=xylophone&from=2016-01-01');
    const { page } = opened;
    await page.getByText('Remove some of the filters.').waitFor();
    await page.getByText('xylo*').waitFor();
    await expectAccessible(page);
    await page.goto(`${people.workspace.server.url}/#/?type=["Nowhere"]`);
    await page.getByRole('alert').getByText('The search failed').waitFor();
    await page
      .getByRole('alert')
      .getByText(/^Request /)
      .waitFor();
    await page.getByRole('button', { name: 'Remove Type: Nowhere' }).click();
    await page.getByRole('region', { name: 'What is here' }).waitFor();
  });

  test.each(['light', 'dark'] as const)('is whole on a narrow screen: %s', async (colorScheme) => {
    await using opened = await asBob('#/?q=harbour', { viewport: NARROW, colorScheme });
    const { page, complaints } = opened;
    await page.getByRole('article').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Filters' }).click();
    const drawer = page.getByRole('dialog', { name: 'Filters' });
    await drawer.getByRole('checkbox', { name: 'land 180' }).check();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await summary(page, '180 results');
    await page.getByRole('button', { name: 'Filters (1)' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('shows odd texts as they are', async () => {
    const path = '#/?filters={"Section":["Odd"]}';
    await using opened = await asBob(path, { viewport: NARROW });
    const { page, complaints } = opened;
    for (const title of Object.values(ODD_TITLES)) {
      const shown = title.length > 120 ? `${title.slice(0, 120)}…` : title;
      const heading = page.getByRole('heading', { level: 3 }).getByText(shown, { exact: true });
      await heading.waitFor();
    }
    expect(await page.evaluate('typeof wasRun')).toBe('undefined');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(requireChromium())('the search of an empty workspace', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('bob');
  });
  afterAll(() => people[Symbol.asyncDispose]());

  test('says what to do', async () => {
    const at = people.workspace;
    await using admins = await browser.signedInPage(at, { path: '#/' });
    await admins.page.getByText('There is nothing to find yet').waitFor();
    const settings = admins.page.getByRole('main').getByRole('link', { name: 'Search settings' });
    expect(await settings.getAttribute('href')).toBe('/#/admin/search');
    await expectAccessible(admins.page);
    await using bobs = await browser.signedInPage(at, { userName: 'bob', password: PASSWORD });
    await bobs.page.getByText('Ask an administrator.').waitFor();
    expect(await bobs.page.getByRole('main').getByRole('link').count()).toBe(0);
  });
});

async function summary(page: Page, text: string): Promise<void> {
  await page
    .getByRole('status')
    .getByText(new RegExp(`^${text} in `))
    .waitFor();
}
