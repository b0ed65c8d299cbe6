import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectAccessible, expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { answers, ask, composer, startLibraryChat, TITLE } from '../support/chat-page.ts';
import { calls, inTurn, says, type LlmTurn } from '../support/llm-server.ts';
import { field } from '../support/http-client.ts';
import type { LlmWorkspace } from '../support/llm-workspace.ts';
import { PageRequests } from '../support/page-requests.ts';
import { requireChromium } from '../support/requires.ts';

const COUNTED = 'One two three four five six seven eight.';
const PHONE = { width: 390, height: 844 };

describe.skipIf(requireChromium())('the chat while it answers, and beside its sources', () => {
  const browser = useBrowser();
  let at: LlmWorkspace;
  let uid: string;
  beforeAll(async () => {
    ({ at, uid } = await startLibraryChat());
  });
  afterAll(() => at[Symbol.asyncDispose]());
  beforeEach(() => at.provider.reset());

  const open = (path = '#/chat', options: object = {}) =>
    browser.signedInPage(at.people.workspace, { path, userName: 'ann', ...options });
  /** A model that says a piece, and then waits until it is let go on. */
  const held = (text = COUNTED) => {
    const gate = Promise.withResolvers<void>();
    const beforeEvent = (index: number) => (index < 4 ? undefined : gate.promise);
    const turn: LlmTurn = { ...says(text), beforeEvent };
    return { turn, goOn: gate.resolve };
  };

  test('an answer goes on over a reload and in another tab, and no request fails', async () => {
    const { turn, goOn } = held();
    const research = Promise.withResolvers<void>();
    const plan = { ...says('A plan.'), gate: research.promise };
    at.provider.script.turn = inTurn(plan, calls(['lookup', { word: 'ark' }]), turn);
    // One of theirs is under way elsewhere, about which this conversation must not ask.
    const { json } = await at.people.as('ann', 'POST', '/api/chatai/chats', { title: 'Elsewhere' });
    const chatUID = field(json, 'UID');
    const asked = { chatUID, question: 'What floats?' };
    await at.people.as('ann', 'POST', '/api/chatai/deep-research/start', asked);
    await at.provider.received(1);
    await using opened = await open();
    const { page, complaints } = opened;
    const requests = new PageRequests(page);
    await ask(page, 'Count');
    await answers(page).last().getByText('One').waitFor();
    await page.waitForURL('**/#/chat/*');
    // Whoever writes goes on writing, although the conversation has another address.
    await page.keyboard.type('More');
    expect(await composer(page).inputValue()).toBe('More');
    const other = await page.context().newPage();
    const others = new PageRequests(other);
    await other.goto(page.url());
    await answers(other).last().getByText('One').waitFor();
    await page.reload();
    const answer = answers(page).last();
    await answer.getByText('One').waitFor();
    await answer
      .getByRole('list', { name: 'Tool calls' })
      .getByText('lookup', { exact: true })
      .waitFor();
    expect(await page.getByRole('article', { name: 'You' }).count()).toBe(1);
    // What is typed for the next message waits.
    await composer(page).fill('Next');
    goOn();
    for (const tab of [page, other]) {
      await answers(tab).last().getByText(COUNTED).waitFor();
      await tab.getByRole('button', { name: 'Answer again' }).waitFor();
      expect(await answers(tab).count()).toBe(1);
    }
    expect(await composer(page).inputValue()).toBe('Next');
    await requests.settled();
    await others.settled();
    expect([requests.faults, others.faults, complaints]).toEqual([[], [], []]);
    await at.people.as('ann', 'POST', `/api/chatai/chats/${chatUID}/stop`);
    research.resolve();
  });

  test('it is stopped from a page that was loaded again', async () => {
    const { turn, goOn } = held();
    at.provider.script.turn = inTurn(turn);
    await using opened = await open();
    const { page } = opened;
    await ask(page, 'Count');
    await answers(page).last().getByText('One').waitFor();
    await page.waitForURL('**/#/chat/*');
    await page.reload();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('This answer was stopped before its end.').waitFor();
    await at.provider.left(1);
    goOn();
  });

  test('a lost connection is said, and the answer found again', async () => {
    const { turn, goOn } = held();
    at.provider.script.turn = inTurn(turn);
    await using opened = await open();
    const { page, complaints } = opened;
    await ask(page, 'Count');
    await answers(page).last().getByText('One').waitFor();
    await page.waitForURL('**/#/chat/*');
    const path = '**/api/chatai/chats/*/events';
    await page.route(path, (route) => route.abort());
    await page.reload();
    await page.getByText('The connection was lost.').waitFor();
    await page.getByText('Count').first().waitFor();
    await page.unroute(path);
    await answers(page).last().getByText('One').waitFor();
    await page.getByText('The connection was lost.').waitFor({ state: 'detached' });
    goOn();
    await answers(page).last().getByText(COUNTED).waitFor();
    expect(complaints.filter((one) => !one.includes('ERR_FAILED'))).toEqual([]);
  });

  test('a busy conversation says so, keeps what was typed, and is followed', async () => {
    const { turn, goOn } = held();
    at.provider.script.turn = inTurn(says('First.'), turn, says('Third.'));
    await using opened = await open();
    const { page } = opened;
    await ask(page, 'First');
    await answers(page).last().getByText('First.').waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await answers(other).last().getByText('First.').waitFor();
    await ask(page, 'Second');
    await answers(page).last().getByText('One').waitFor();
    await ask(other, 'Third');
    await other.getByText('The message was not sent').waitFor();
    await answers(other).last().getByText('One').waitFor();
    expect(await composer(other).inputValue()).toBe('Third');
    goOn();
    await answers(other).last().getByText(COUNTED).waitFor();
    await other.getByRole('button', { name: 'Try again' }).click();
    await answers(other).last().getByText('Third.').waitFor();
    expect(await composer(other).inputValue()).toBe('');
  });

  test('a source opens beside the conversation, marked, and Escape leads back', async () => {
    at.provider.script.turn = inTurn(
      calls(['lookup', { word: 'ark' }]),
      says(`The book is called ${TITLE} [1].`),
    );
    await using opened = await open();
    const { page, complaints } = opened;
    const requests = new PageRequests(page);
    await ask(page, 'What is there?');
    const source = answers(page)
      .last()
      .getByRole('link', { name: `Source 1: ${TITLE}` });
    await source.focus();
    await source.press('Enter');
    const record = page.getByRole('region', { name: TITLE });
    await record.waitFor();
    const passage = record.getByRole('region', { name: 'Cited passage of source 1' });
    await expect.poll(() => passage.locator('mark').allInnerTexts()).toEqual(['Book', TITLE]);
    await answers(page).last().waitFor();
    await expectAccessibleInBothThemes(page);
    await page.keyboard.press('Escape');
    await record.waitFor({ state: 'detached' });
    expect(await source.evaluate((link) => link.matches(':focus'))).toBe(true);
    // It is in the address, so it is there again after a reload.
    await source.click();
    await record.waitFor();
    await page.reload();
    await record.waitFor();
    await record.getByRole('link', { name: 'Open page' }).click();
    await page.waitForURL(`**/#/node/${uid}`);
    await requests.settled();
    expect([requests.faults, complaints]).toEqual([[], []]);
  });

  test('what is typed into a source stays, and is asked about before it is lost', async () => {
    const lookup = calls(['lookup', { word: 'ark' }]);
    at.provider.script.turn = inTurn(lookup, says(`It is *${TITLE}* [1].`));
    await using opened = await open('#/chat', { userName: 'admin' });
    const { page, complaints } = opened;
    await ask(page, 'Which ark?');
    await answers(page)
      .last()
      .getByRole('link', { name: `Source 1: ${TITLE}` })
      .click();
    const record = page.getByRole('region', { name: TITLE });
    const title = record.getByRole('textbox', { name: 'Title' });
    await title.fill('Typed');
    await record.getByRole('button', { name: 'Close the record' }).click();
    const notice = page.getByRole('status').filter({ hasText: 'Not saved yet' });
    const back = notice.getByRole('link', { name: TITLE });
    await back.waitFor();
    await expectAccessibleInBothThemes(page);
    await back.press('Enter');
    expect(await title.inputValue()).toBe('Typed');
    await notice.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await record.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'New conversation' }).first().click();
    const asked = page.getByRole('alertdialog', { name: 'Leave with unsaved changes?' });
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await back.waitFor();
    await page.getByRole('link', { name: 'New conversation' }).first().click();
    await asked.getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL('**/#/chat');
    await notice.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('on a phone a source covers the conversation, which is as it was afterwards', async () => {
    at.provider.script.turn = inTurn(
      calls(['lookup', { word: 'ark' }]),
      says(
        '| Name | Pages | Written | Published | Language |\n|--|-:|--|--|--|\n| Ark [1] | 1 | 2 | 3 | 4 |',
      ),
    );
    await using opened = await open('#/chat', { viewport: PHONE });
    const { page, complaints } = opened;
    await ask(page, 'What is there?');
    const source = answers(page)
      .last()
      .getByRole('link', { name: `Source 1: ${TITLE}` });
    await source.waitFor();
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(PHONE.width);
    const table = answers(page).last().getByRole('group', { name: 'Table' });
    const [inner, outer] = await table.evaluate((box) => [box.scrollWidth, box.clientWidth]);
    expect(inner).toBeGreaterThan(outer!);
    await composer(page).fill('Next');
    await source.click();
    const record = page.getByRole('region', { name: TITLE });
    await record.waitFor();
    expect(await composer(page).isVisible()).toBe(false);
    await expectAccessible(page);
    await record.getByRole('button', { name: 'Close the record' }).click();
    await composer(page).waitFor();
    expect(await composer(page).inputValue()).toBe('Next');
    expect(complaints).toEqual([]);
  });

  test('a table and code are copied', async () => {
    at.provider.script.turn = inTurn(
      says('| Name | Tons |\n|---|--:|\n| **Ark** | 9 |\n\n```ts\nlet a = 1;\n```'),
    );
    await using opened = await open();
    const { page, complaints } = opened;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await ask(page, 'Show it');
    const answer = answers(page).last();
    await answer.getByRole('cell', { name: '9' }).waitFor();
    await page.getByRole('button', { name: 'Answer again' }).waitFor();
    const copied = async (name: string) => {
      await answer.getByRole('button', { name }).click();
      await answer.getByRole('button', { name: 'Copied' }).first().waitFor();
      return page.evaluate('navigator.clipboard.readText()');
    };
    expect(await copied('Copy CSV')).toBe('Name,Tons\r\nArk,9');
    expect(await copied('Copy TSV')).toBe('Name\tTons\r\nArk\t9');
    expect(await copied('Copy code')).toBe('let a = 1;');
    await expectAccessibleInBothThemes(page);
    expect(complaints).toEqual([]);
  });

  test('the questions to begin with are of what there is', async () => {
    await using opened = await open();
    const { page } = opened;
    const questions = page.getByRole('list', { name: 'Questions to begin with' });
    await questions.getByRole('button', { name: /newest nodes of the type Book/ }).click();
    expect(await composer(page).inputValue()).toContain('Book');
    expect(await composer(page).evaluate((one) => one.matches(':focus'))).toBe(true);
  });

  test('what was typed over a message stays when it was not sent', async () => {
    at.provider.script.turn = inTurn(says('First.'), says('Second.'));
    await using opened = await open();
    const { page } = opened;
    await ask(page, 'Whales');
    await answers(page).last().getByText('First.').waitFor();
    const path = `**/api/chatai/chat`;
    await page.route(path, (route) => route.abort());
    await page.getByRole('button', { name: 'Edit the message' }).click();
    const edited = page.getByRole('textbox', { name: 'Edit the message' });
    await edited.fill('Seals');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByText('The message was not sent').waitFor();
    expect(await edited.inputValue()).toBe('Seals');
    await answers(page).last().getByText('First.').waitFor();
    await page.unroute(path);
    await page.getByRole('button', { name: 'Try again' }).click();
    await answers(page).last().getByText('Second.').waitFor();
    expect(await page.getByRole('article', { name: 'You' }).innerText()).toContain('Seals');
  });
});
