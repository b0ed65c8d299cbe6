import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser, type PageOptions } from '../support/browser.ts';
import {
  ARTICLES,
  articleUid,
  HIDDEN_ARTICLES,
  ODD_TITLES,
  openExploredArticles,
  personUid,
  specimenUid,
} from '../support/explored-articles.ts';
import { PASSWORD, type People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const NARROW = { width: 375, height: 800 };
const OF_ADA = ARTICLES / 3;

describe.skipIf(requireChromium())('the pages of nodes and preferences', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await openExploredArticles();
    await people.add('cleo', { firstName: 'Cleo', lastName: 'Former' });
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

  test.each(['bob', 'admin'])('shows fields of every type: %s', async (userName) => {
    const path = `#/node/${specimenUid()}`;
    await using opened = await (userName === 'bob' ? asBob(path) : asAdmin(path));
    const { page, complaints } = opened;
    const fields = page.getByRole('region', { name: 'Fields' });
    await fields.getByText('First line.').waitFor();
    const names = await fields.getByRole('term').allTextContents();
    const values = await fields.getByRole('definition').allInnerTexts();
    const shown = Object.fromEntries(names.map((name, i) => [name, values[i]]));
    expect(shown).toMatchObject({
      Flag: 'Yes',
      Count: '42',
      Large: '9007199254740993',
      Share: '0.25',
      Price: '19.90',
      SeenAt: 'Mar 4, 2025, 5:06 AM',
      Where: '48.2° N, 16.37° W',
      About: personUid('author-0'),
      Raw: expect.stringContaining('1.5 KiB of data'),
      Shape: '{\n  "sides": 4,\n  "names": [\n    "a",\n    "b"\n  ]\n}',
      Words: 'one\ntwo',
      Numbers: '1\n2\n3',
      Site: 'https://example.com/page?q=1',
      Blank: 'Empty text',
      None: 'Empty list',
    });
    expect(await fields.getByText('The end.').count()).toBe(0);
    await expectAccessible(page);
    await fields.getByRole('button', { name: /^Show all 2,.* characters of Story$/ }).click();
    await fields.getByText('The end.').waitFor();
    await page.getByText('It has no neighbors').waitFor();
    await fields.getByRole('link', { name: personUid('author-0') }).click();
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('writes dates and numbers as the language of the browser has them', async () => {
    await using opened = await asBob(`#/node/${specimenUid()}`, { locale: 'de-DE' });
    const { page } = opened;
    await page.getByText('04.03.2025, 05:06').waitFor();
    await page.getByText('1,5 KiB of data').waitFor();
  });

  test('lists neighbours by type of edge and direction, to be searched and paged', async () => {
    await using opened = await asBob(`#/node/${personUid('author-0')}`);
    const { page, complaints } = opened;
    const edges = page.getByRole('navigation', { name: 'Types of edges' });
    await edges.getByRole('link', { name: `Outgoing Wrote ${OF_ADA}` }).waitFor();
    await edges.getByRole('link', { name: `Incoming WrittenBy ${OF_ADA}` }).click();
    const rows = page.getByRole('table', { name: 'WrittenBy, incoming' }).getByRole('row');
    await page.getByText(`1 to 20 of ${OF_ADA}`).waitFor();
    expect(await rows.count()).toBe(21);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText(`21 to 40 of ${OF_ADA}`).waitFor();
    expect(page.url()).toContain('skip=20');

    const box = page.getByRole('searchbox', { name: 'Find in WrittenBy' });
    await box.fill('PART 99');
    await rows.nth(2).waitFor({ state: 'detached' });
    await page.reload();
    await rows.getByRole('link', { name: 'Harbours of the north, part 99' }).waitFor();
    await box.fill('nobody');
    await page.getByText('No neighbor matches').waitFor();

    await using admins = await asAdmin(`#/node/${personUid('author-0')}`);
    const all = OF_ADA + HIDDEN_ARTICLES;
    await admins.page.getByRole('link', { name: `Outgoing Wrote ${all}` }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('shows the fields of edges, and nodes with near vectors', async () => {
    await using opened = await asBob(`#/node/${articleUid('article-1')}`, { colorScheme: 'dark' });
    const { page, complaints } = opened;
    await page.getByRole('link', { name: 'Outgoing Cites 1' }).waitFor();
    await page.getByRole('cell', { name: 'It says the same' }).waitFor();
    const similar = page.getByRole('region', { name: 'Similar nodes' });
    await similar.getByRole('link', { name: 'Harbours of the north, part 0' }).waitFor();
    await expectAccessible(page);
    const links = page.getByRole('main').getByRole('link');
    expect(await links.getByText('Why visible?').count()).toBe(0);
    expect(await links.getByText('Open in graph').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('is downloaded, and explained to administrators', async () => {
    const uid = articleUid('article-1');
    await using opened = await asAdmin(`#/node/${uid}`);
    const { page } = opened;
    for (const [item, name] of [
      ['As JSON lines', 'jsonl'],
      ['As CSV', 'csv'],
    ]) {
      await page.getByRole('button', { name: 'Download' }).click();
      const started = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: item ?? '' }).click();
      const download = await started;
      expect(download.suggestedFilename()).toBe(`${uid}.${name}`);
      expect(await readText(await download.createReadStream())).toContain('part 1');
    }
    const why = page.getByRole('main').getByRole('link', { name: 'Why visible?' });
    expect(await why.getAttribute('href')).toBe(`/#/manage/access/explain?node=${uid}`);
  });

  test('says the same of one that is hidden, not there, or no UID at all', async () => {
    const uids = [articleUid('hidden-0'), articleUid('nowhere'), 'a"<b>'];
    await using opened = await asBob('#/preferences');
    const { page, complaints } = opened;
    for (const uid of uids) {
      await page.goto(`${people.workspace.server.url}/#/node/${encodeURIComponent(uid)}`);
      await page.getByText('There is no such node, or you may not see it').waitFor();
      await page.getByRole('link', { name: 'Go to search' }).click();
      await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
    }
    await page.goBack();
    await page.getByText('There is no such node, or you may not see it').waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('bears odd texts', async () => {
    await using opened = await asBob('#/preferences', { viewport: NARROW });
    const { page, complaints } = opened;
    for (const [key, title] of Object.entries(ODD_TITLES)) {
      await page.goto(`${people.workspace.server.url}/#/node/${articleUid(`odd-${key}`)}`);
      const heading = page.getByRole('heading', { level: 1 });
      await heading.getByText(title.slice(0, 20)).waitFor();
      const fields = page.getByRole('region', { name: 'Fields' });
      await fields.getByText(title.slice(0, 100)).waitFor();
      expect(await page.evaluate('typeof wasRun')).toBe('undefined');
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width);
    }
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });
  const asCleo = (password = PASSWORD) =>
    browser.signedInPage(people.workspace, { userName: 'cleo', password, path: '#/preferences' });

  test('preferences change name and address, and say what is wrong with them', async () => {
    await using opened = await asCleo();
    const { page } = opened;
    const form = page.getByRole('region', { name: 'Profile' });
    expect(await form.getByLabel('First name').inputValue()).toBe('Cleo');
    expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await form.getByLabel('Last name').fill("O'Brien <b>");
    await form.getByLabel('E-mail').fill('nowhere');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Invalid email address').waitFor();
    expect(await form.getByLabel('Last name').inputValue()).toBe("O'Brien <b>");
    await expectAccessible(page);
    await form.getByLabel('E-mail').fill('cleo.obrien@example.com');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your profile is saved').waitFor();
    await page.getByRole('button', { name: "Account of Cleo O'Brien <b>" }).waitFor();
  });

  test('preferences change the theme at once, and keep it', async () => {
    await using opened = await asCleo();
    const { page } = opened;
    await page.getByRole('radio', { name: 'Dark' }).check();
    const theme = () => page.evaluate('document.documentElement.dataset.theme');
    expect(await theme()).toBe('dark');
    await expectAccessible(page);
    await page.reload();
    await page.getByRole('radio', { name: 'Dark', checked: true }).waitFor();
    expect(await theme()).toBe('dark');
  });

  test('preferences change the password, which ends the other sessions', async () => {
    await using other = await asCleo();
    await other.page.getByRole('region', { name: 'Password' }).waitFor();
    await using opened = await asCleo();
    const { page } = opened;
    const form = page.getByRole('region', { name: 'Password' });
    const fill = async (present: string, next: string, again = next): Promise<void> => {
      await form.getByLabel('Current password').fill(present);
      await form.getByLabel('New password').fill(next);
      await form.getByLabel('Repeat the password').fill(again);
      await form.getByRole('button', { name: 'Change the password' }).click();
    };
    await fill(PASSWORD, 'a new password', 'another one');
    await form.getByText('The two passwords differ.').waitFor();
    await fill('not the password', 'a new password');
    const present = form.getByLabel('Current password');
    await form.getByText('The old password is not right.').waitFor();
    expect(await present.getAttribute('aria-invalid')).toBe('true');
    await fill(PASSWORD, 'short');
    await form.getByText('The new password is too short.').waitFor();
    await expectAccessible(page);
    await fill(PASSWORD, 'a new password that is long');
    await page.getByText('Your other sessions have ended.').waitFor();
    expect(await present.inputValue()).toBe('');
    // The other session is over as soon as it asks for anything.
    await other.page.reload();
    await other.page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.reload();
    await form.waitFor();
  });
});
