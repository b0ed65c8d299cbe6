import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { field } from '../support/http-client.ts';
import { calls, inTurn, says } from '../support/llm-server.ts';
import { answers, ask, composer, startLibraryChat, TITLE } from '../support/chat-page.ts';
import { type LlmWorkspace, MODEL } from '../support/llm-workspace.ts';
import type { Page } from 'playwright-core';
import { requireChromium } from '../support/requires.ts';

describe.skipIf(requireChromium())('the page of the chat', () => {
  const browser = useBrowser();
  let at: LlmWorkspace;
  let uid: string;
  beforeAll(async () => {
    ({ at, uid } = await startLibraryChat());
  });
  afterAll(() => at[Symbol.asyncDispose]());
  beforeEach(() => at.provider.reset());

  const open = (path = '#/chat', userName = 'ann') =>
    browser.signedInPage(at.people.workspace, { path, userName });

  test('an answer cites its sources, and shows what was called for it', async () => {
    at.provider.script.turn = inTurn(
      calls(['lookup', { word: 'ark' }]),
      says('The **book** is *there* [1]. Nothing else [7].\n\n- one\n- two'),
    );
    await using opened = await open();
    const { page, complaints } = opened;
    await ask(page, 'What is there?');
    const answer = answers(page).last();
    await answer.getByText('Nothing else [7].').first().waitFor();
    const source = answer.getByRole('link', { name: `Source 1: ${TITLE}` });
    await source.waitFor();
    expect(await answer.locator('strong').innerText()).toBe('book');
    expect(await answer.locator('em').innerText()).toBe('there');
    expect(await answer.getByRole('list').last().getByRole('listitem').count()).toBeGreaterThan(0);
    await source.hover();
    await page.getByText(TITLE, { exact: true }).filter({ visible: true }).waitFor();
    await answer.getByText('1 source').click();
    await answer.getByRole('list', { name: 'Sources' }).getByText(TITLE).first().waitFor();
    await answer.getByText(/^Sources support \d of \d/).click();
    const doubtful = answer.getByRole('list', { name: 'Doubtful sentences' });
    await doubtful.getByText('Not supported').waitFor();
    await doubtful.getByText('Nothing else [7].').waitFor();
    await expect.poll(() => answer.locator('mark').allInnerTexts()).toContain('Nothing else [7].');
    const why = answer.getByRole('button', { name: 'Not supported: show why' });
    await why.last().focus();
    await page.keyboard.press('Enter');
    const evidence = page.getByRole('dialog', { name: 'Sources do not say this' });
    await evidence.getByText('Nothing else [7].').waitFor();
    await expectAccessibleInBothThemes(page);
    await page.keyboard.press('Escape');
    await evidence.waitFor({ state: 'detached' });
    await answer.getByRole('list', { name: 'Tool calls' }).getByText('lookup').click();
    await answer.getByRole('group', { name: 'Output' }).waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('status', { name: 'Answer of the assistant' }).getByText('book').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a sentence that is supported in part has its quote one click away, and in the files', async () => {
    const said = 'The Ark is a book [1][7].';
    at.provider.script.turn = inTurn(calls(['lookup', { word: 'ark' }]), says(said));
    await using opened = await open();
    const { page, complaints } = opened;
    await ask(page, 'Which book?');
    const answer = answers(page).last();
    await answer.getByRole('button', { name: 'Partly supported: show why' }).click();
    const evidence = page.getByRole('dialog', { name: 'Sources say only a part of this' });
    await evidence.getByRole('blockquote').getByText('Type: Book').waitFor();
    await page.keyboard.press('Escape');

    const file = async (format: string) => {
      await page.getByRole('button', { name: 'Export' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: format }).click(),
      ]);
      const content = await text(await download.createReadStream());
      return { name: download.suggestedFilename(), content };
    };
    const markdown = await file('Markdown');
    expect(markdown.name).toBe('Which-book.md');
    expect(markdown.content).toContain(
      '\n\nThe Ark is a book [^1][7]. *(partly supported)*[^s1]\n\nSources support 0 of 1 checked sentence.\n',
    );
    expect(markdown.content).toContain(`/#/node/${uid}>)`);
    expect(markdown.content).toContain('\n[^s1]: Partly supported: “Type: Book” (source 1, ');
    const json = await file('JSON');
    expect(json.name).toBe('Which-book.json');
    expect(JSON.parse(json.content)).toMatchObject({
      messages: [{ text: 'Which book?' }, { text: said, support: [{ verdict: 'partly' }] }],
    });
    await expectAccessibleInBothThemes(page);
    expect(complaints).toEqual([]);
  });

  test('an answer that is under way is stopped with Escape, and asked for again', async () => {
    const gate = Promise.withResolvers<void>();
    at.provider.script.turn = inTurn(
      {
        ...says('One two three four five.'),
        beforeEvent: (index) => (index < 4 ? undefined : gate.promise),
      },
      says('All of it.'),
    );
    await using opened = await open();
    const { page, complaints } = opened;
    await ask(page, 'Count');
    await answers(page).last().getByText('One').waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await composer(page).press('Escape');
    await page.getByText('This answer was stopped before its end.').waitFor();
    gate.resolve();
    await page.getByRole('button', { name: 'Answer again' }).click();
    await answers(page).last().getByText('All of it.').waitFor();
    expect(await answers(page).count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('a message is edited, and an answer judged', async () => {
    at.provider.script.turn = inTurn(says('First.'), says('Second.'), says('Third.'));
    await using opened = await open();
    const { page, complaints } = opened;
    await composer(page).fill('a');
    await composer(page).press('Shift+Enter');
    await composer(page).pressSequentially('b');
    expect(await composer(page).inputValue()).toBe('a\nb');
    await composer(page).press('Enter');
    await answers(page).last().getByText('First.').waitFor();
    await rateAnswer(page, 'Good answer');
    await page.getByRole('button', { name: 'Good answer' }).click();
    await page.getByRole('button', { name: 'Good answer', pressed: false }).waitFor();
    await ask(page, 'more');
    await answers(page).last().getByText('Second.').waitFor();
    await page.getByRole('button', { name: 'Edit the message' }).first().click();
    await page.getByRole('textbox', { name: 'Edit the message' }).fill('Another beginning');
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: 'Ask again' }).click();
    await answers(page).last().getByText('Third.').waitFor();
    expect(await answers(page).count()).toBe(1);
    await page.getByText('Another beginning').first().waitFor();
    expect(complaints).toEqual([]);
  });

  const rateAnswer = async (page: Page, name: string, comment = ''): Promise<void> => {
    await page.getByRole('button', { name }).last().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Administrators can then read this conversation').waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByRole('textbox').fill(comment);
    await dialog.getByRole('button', { name: 'Send rating' }).click();
    await page.getByRole('button', { name, pressed: true }).last().waitFor();
  };

  test('a rated answer is listed with what led to it, until the rating is taken back', async () => {
    at.provider.script.turn = inTurn(
      calls(['lookup', { word: 'ark' }]),
      says('The **book** is there [1].'),
      says('A secret.'),
    );
    await using opened = await open();
    const { page, complaints } = opened;
    await ask(page, 'Where is the ark?');
    await answers(page).last().getByText('is there').first().waitFor();
    await rateAnswer(page, 'Bad answer', 'Too vague.');
    await ask(page, 'Between us?');
    await answers(page).last().getByText('A secret.').waitFor();

    await using administrator = await open('#/assistant/feedback', 'admin');
    const { page: list } = administrator;
    const table = list.getByRole('table', { name: 'Feedback' });
    await table.getByText('Too vague.').waitFor();
    await list.getByLabel('Rating').selectOption('Good');
    await list.getByText('No feedback').waitFor();
    await list.getByLabel('Rating').selectOption('Bad');
    await list.getByLabel('Before').fill('2020-01-01');
    await list.getByText('No feedback').waitFor();
    await list.getByLabel('Before').fill('');
    await expectAccessibleInBothThemes(list);
    await table.getByRole('button', { name: 'Read what ann rates: Too vague.' }).focus();
    await list.keyboard.press('Enter');
    const panel = list.getByRole('dialog', { name: 'Conversation' });
    await panel.getByText('Where is the ark?').waitFor();
    await panel.getByRole('link', { name: `Source 1: ${TITLE}` }).waitFor();
    await panel.getByText('rates it a bad answer: Too vague.').waitFor();
    expect(await panel.getByText('A secret.').count()).toBe(0);
    await expectAccessibleInBothThemes(list);
    await panel.getByRole('button', { name: 'Make it a golden question' }).click();
    const edit = panel.getByRole('link', { name: 'Edit the golden question' });
    await edit.waitFor();
    const golden = await at.people.as('admin', 'GET', '/api/chatai/golden-sets/from-chat');
    expect(golden.json).toMatchObject({
      questions: [{ question: 'Where is the ark?', asUser: at.people.uid('ann'), nuggets: [] }],
    });
    await list.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await list.setViewportSize({ width: 390, height: 800 });
    await table.getByText('Too vague.').waitFor();
    await expectAccessibleInBothThemes(list);

    await page.getByRole('button', { name: 'Bad answer', pressed: true }).click();
    await page.getByText('Your rating is taken back').waitFor();
    await list.reload();
    await list.getByText('No feedback').waitFor();
    expect([...complaints, ...administrator.complaints]).toEqual([]);
  });

  test('a question of an administrator becomes a golden one', async () => {
    at.provider.script.turn = inTurn(says('In the yard.'), says('In the sea.'));
    await using opened = await open('#/chat', 'admin');
    const { page, complaints } = opened;
    // One that is still coming in has no buttons, so this waits for its end.
    const add = answers(page).last().getByRole('button', { name: 'Make it a golden question' });
    const edit = answers(page).last().getByRole('link', { name: 'Edit the golden question' });
    const asked = async () => {
      const path = '/api/chatai/golden-sets/from-chat';
      const { json } = await at.people.as('admin', 'GET', path);
      return Object(json).questions.filter((one: object) => !('asUser' in one));
    };
    await ask(page, 'Is the ark old?');
    await answers(page).last().getByText('In the yard.').waitFor();
    await add.click();
    await edit.waitFor();
    await expectAccessibleInBothThemes(page);
    await ask(page, 'And the whale?');
    await answers(page).last().getByText('In the sea.').waitFor();
    await add.click();
    await edit.waitFor();
    expect(await asked()).toMatchObject([
      { question: 'Is the ark old?', nuggets: [] },
      { question: 'And the whale?', nuggets: [] },
    ]);
    // What its answer must say is filled in afterwards.
    await page.keyboard.press('Enter');
    await page.getByLabel('Question', { exact: true }).last().waitFor();
    await page.getByLabel('Nugget 1', { exact: true }).last().fill('In the sea');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The questions are saved').waitFor();
    expect((await asked()).at(-1)).toMatchObject({ nuggets: [{ text: 'In the sea' }] });
    expect(complaints).toEqual([]);
  });

  test('conversations are found, renamed and deleted', async () => {
    at.provider.script.turn = inTurn(says('Yes.'), says('No.'));
    await using opened = await open();
    const { page, complaints } = opened;
    await ask(page, 'Whales of the north');
    await answers(page).last().getByText('Yes.').waitFor();
    const list = page.getByRole('list', { name: 'Conversations' });
    await list.getByRole('link', { name: /Whales of the north/ }).waitFor();
    await list.getByRole('button', { name: /^What to do with Whales/ }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename the conversation' });
    await dialog.getByLabel('Title').fill(' ');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByText('Enter a title.').waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByLabel('Title').fill('Seals');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { level: 1, name: 'Seals' }).waitFor();
    await page.getByLabel('Find a conversation').fill('seals');
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
    expect(page.url()).toContain('query=seals');
    await list.getByRole('button', { name: 'What to do with Seals' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete “Seals”?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor();
    await page.getByText('No title contains “seals”.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a failure is said, what was typed stays, and the answer is asked for again', async () => {
    at.provider.script.turn = inTurn({ fault: { status: 400, body: '{}' } }, says('Now.'));
    await using opened = await open();
    const { page, complaints } = opened;
    await ask(page, 'Does it work?');
    await page.getByText(/The answer failed/).waitFor();
    await page.getByText('Does it work?').first().waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: 'Answer again' }).click();
    await answers(page).last().getByText('Now.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a node is asked about from its page', async () => {
    at.provider.script.turn = inTurn(says('It is a book.'));
    await using opened = await open(`#/node/${uid}`);
    const { page, complaints } = opened;
    await page.getByRole('link', { name: 'Ask about this' }).click();
    await page.getByRole('button', { name: `Remove ${TITLE}` }).waitFor();
    await page.getByRole('button', { name: 'Summarize this.' }).click();
    await page.keyboard.press('Enter');
    await answers(page).last().getByText('It is a book.').waitFor();
    await page.getByRole('article', { name: 'You' }).getByRole('link', { name: TITLE }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('what a model writes is text: no markup, no picture, no link', async () => {
    const hostile =
      '<img src=x onerror=alert(1)> [open](https://evil.example/?q=1) ![p](//e.vil/p)';
    at.provider.script.turn = inTurn(says(hostile));
    await using opened = await open();
    const { page, complaints } = opened;
    await ask(page, '<b>Bold</b>');
    const answer = answers(page).last();
    await answer.getByText(hostile).waitFor();
    await page.getByRole('article', { name: 'You' }).getByText('<b>Bold</b>').waitFor();
    expect(await answer.locator('img, a').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('the conversation of somebody else is not there', async () => {
    at.provider.script.turn = inTurn(says('Secret.'));
    const { json } = await at.people.as('ann', 'POST', '/api/chatai/chat', { message: 'Mine' });
    await using opened = await open(`#/chat/${field(json, 'chatUID')}`, 'admin');
    await opened.page.getByText('The conversation could not be read').waitFor();
    expect(await opened.page.getByText('Secret.').count()).toBe(0);
  });

  test('the model and the tools of the next answers are chosen', async () => {
    at.provider.script.turn = inTurn(says('Small.'));
    await using opened = await open();
    const { page, complaints } = opened;
    await page.getByLabel('Model').selectOption('small');
    await page.getByRole('button', { name: 'All tools' }).click();
    const tools = page.getByRole('dialog', { name: 'Tools that the assistant may use' });
    await tools.getByRole('checkbox', { name: 'lookup' }).uncheck();
    await expectAccessibleInBothThemes(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /of \d+ tools/ }).waitFor();
    await ask(page, 'Which are you?');
    await answers(page).last().getByText('Small.').waitFor();
    const { body } = at.provider.last;
    expect(body['model']).toBe('small');
    expect(JSON.stringify(body['tools'] ?? [])).not.toContain('lookup');
    expect(complaints).toEqual([]);
  });

  test('a conversation begins with a research', async () => {
    const gate = Promise.withResolvers<void>();
    at.provider.script.turn = () => ({ ...says('A plan.'), gate: gate.promise });
    await using opened = await open();
    const { page, complaints } = opened;
    await composer(page).fill('All about icebergs');
    await page.getByRole('button', { name: 'Deep research' }).click();
    await page.getByRole('heading', { level: 1, name: 'All about icebergs' }).waitFor();
    const progress = page.getByRole('region', { name: 'Deep research' });
    await progress.getByRole('button', { name: 'Cancel the research' }).click();
    await progress.waitFor({ state: 'detached' });
    gate.resolve();
    expect(complaints).toEqual([]);
  });

  test('without a provider it says how to add one', async () => {
    await using early = await open();
    await early.page.getByLabel('Model').waitFor();
    await at.people.as('admin', 'PUT', '/api/chatai/providers', { chat: null });
    await ask(early.page, 'Anybody?');
    await early.page.getByText('Ask an administrator to add one.').waitFor();
    expect(await composer(early.page).inputValue()).toBe('Anybody?');
    await using administrator = await open('#/chat', 'admin');
    await administrator.page.getByRole('link', { name: 'Add a provider' }).waitFor();
    expect(await composer(administrator.page).isDisabled()).toBe(true);
    await expectAccessibleInBothThemes(administrator.page);
    await at.use('openai-compatible', { models: [MODEL, 'small'] });
  });
});
