import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const CODE = `export const input = z.object({ word: z.string() });
export default async ({ body }: Scope<{ word: string }>) => body.word;
`;

describe.skipIf(requireChromium())('the page of the API', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('ada');
    await people.add('guest', { isGuest: true });
    for (const endpoint of [
      { name: 'words/echo', code: CODE, description: 'Says it again.' },
      { name: 'words/secret', code: CODE, access: 'admins' },
    ]) {
      const { status } = await people.as('admin', 'POST', '/api/endpoints/create', endpoint);
      expect(status).toBe(201);
    }
  });
  afterAll(() => people[Symbol.asyncDispose]());
  const open = (userName: string, path = '#/api') =>
    browser.signedInPage(people.workspace, { path, userName });

  test('finds an operation, and says what it takes, answers and refuses', async () => {
    await using opened = await open('ada');
    const { page, complaints } = opened;
    const list = page.getByRole('navigation', { name: 'Operations' });
    await list.getByRole('link', { name: 'GET /api/node/{uid}', exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Find an operation' }).fill('many field');
    await list
      .getByRole('link', { name: 'GET /api/node/{uid}', exact: true })
      .waitFor({ state: 'detached' });
    await list.getByRole('link', { name: 'POST /api/node/many/field' }).click();
    const shown = page.getByRole('article', { name: 'getManyFields' });
    await shown.getByRole('region', { name: 'Shapes' }).getByText('template?: string').waitFor();
    await shown
      .getByRole('group', { name: 'Example of application/json' })
      .first()
      .getByText('"template": "{Title}, {Pages} pages"')
      .waitFor();
    await shown.getByText(/^At most [\d.]+ .*B\.$/).waitFor();
    await shown
      .getByRole('region', { name: 'Errors' })
      .getByText(/^invalid_request: /)
      .waitFor();
    await shown.getByRole('region', { name: 'Parameters' }).getByText('X-Request-Id').waitFor();
    await shown.getByText(/an API token \(read\)/).waitFor();
    expect(await shown.getByRole('button', { name: 'Send' }).count()).toBe(0);
    await page.waitForURL(/operation=getManyFields/);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('names its groups as people do, and breaks no path within a word', async () => {
    await using opened = await open('ada');
    const { page } = opened;
    const list = page.getByRole('navigation', { name: 'Operations' });
    for (const name of ['Code history', 'LLM', 'SSO', 'Access', 'Custom endpoints']) {
      await list.getByRole('heading', { name, exact: true }).waitFor();
      await list.getByRole('group', { name, exact: true }).waitFor();
    }
    const links = list.getByRole('link');
    await list.getByRole('link', { name: 'GET /api/search/golden-sets/{name}/runs' }).waitFor();
    const broken = await links.evaluateAll((all) => {
      const SHOW_TEXT = 4;
      return all.flatMap((link) => {
        const found: string[] = [];
        const texts = link.ownerDocument.createTreeWalker(link, SHOW_TEXT);
        for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
          for (const word of (text.nodeValue ?? '').matchAll(/\w+/g)) {
            const range = link.ownerDocument.createRange();
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
            if (lines.size > 1) found.push(`${word[0]} in ${link.textContent}`);
          }
        }
        return found;
      });
    });
    expect(broken).toEqual([]);
    const lineHeights = await links.evaluateAll((all) => all.map((link) => link.clientHeight));
    // Some do go on in a second line: else nothing was looked at.
    expect(new Set(lineHeights).size).toBeGreaterThan(1);
  });

  test('tries a read as the one who is signed in', async () => {
    await using opened = await open('ada', '#/api?operation=getUser');
    const { page } = opened;
    const shown = page.getByRole('article', { name: 'getUser' });
    await shown.getByRole('textbox', { name: 'uid' }).fill(people.uid('ada'));
    await shown.getByRole('button', { name: 'Send' }).click();
    const answer = shown.getByRole('status', { name: 'Answer' });
    await answer.getByText('200', { exact: true }).waitFor();
    await answer.getByText('"UserName": "ada"').waitFor();
    await expectAccessible(page);
    await page.goto(`${people.workspace.server.url}/#/api?operation=listTokens`);
    const others = page.getByRole('article', { name: 'listTokens' });
    await others.getByRole('button', { name: 'Send' }).click();
    await others
      .getByRole('status', { name: 'Answer' })
      .getByText('403', { exact: true })
      .waitFor();
  });

  test('shows the endpoints that its reader may run, with code that runs them', async () => {
    await using opened = await open('guest', '#/api?query=run%2Fwords');
    const { page } = opened;
    const list = page.getByRole('navigation', { name: 'Operations' });
    const own = list.getByRole('group', { name: 'custom endpoints' });
    await own.getByRole('link', { name: 'POST /api/endpoints/run/words/echo' }).click();
    expect(await own.getByRole('link').count()).toBe(1);
    const shown = page.getByRole('article', { name: 'run.words/echo' });
    await shown.getByText('Says it again.').waitFor();
    await shown.getByText(/client\.endpoints\.run\('words\/echo', \{"word":"text"\}\)/).waitFor();
    await shown.getByText(/curl -s -X POST .*\/api\/endpoints\/run\/words\/echo'/).waitFor();
    await page.goto(`${people.workspace.server.url}/#/api?query=nothing-like-this`);
    await page.getByText('No operation matches').waitFor();
  });
});
