import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHAT, CHATS, ChatScene, eventsOf, offeredTo, sentTo } from '../support/chat-scene.ts';
import { calls, says } from '../support/llm-server.ts';
import { items } from '../support/people.ts';

const NOBODY = '1111111111111111111111';

let at: ChatScene;
let oak: string;
beforeAll(async () => {
  at = await ChatScene.start();
  oak = await at.uidOf('oak');
});
afterAll(() => at[Symbol.asyncDispose]());

/** What is read again of a conversation. */
const chat = (uid: string, as = 'ann') => at.ok(as, 'GET', `${CHATS}/${uid}`);
const messages = async (uid: string): Promise<Record<string, never>[]> =>
  (await chat(uid))['messages']!;

describe('a turn', () => {
  test('calls tools as the user, and cites what they gave', async () => {
    const answer = await at.looksUp('ann', 'oak', 'Oaks grow for centuries [1].');
    expect(answer).toEqual({
      chatUID: expect.any(String),
      messageUID: expect.any(String),
      answer: 'Oaks grow for centuries [1].',
      citations: [{ id: 1, uid: oak, text: expect.stringContaining('Oaks grow for centuries.') }],
      toolCalls: [
        {
          tool: 'find',
          input: { name: 'oak' },
          output: { found: [expect.objectContaining({ UID: oak, Id: 'oak', Title: 'Oak' })] },
          ms: expect.any(Number),
        },
      ],
      usage: { inputTokens: 22, outputTokens: 10 },
      model: 'large',
      ended: 'answer',
      support: [
        {
          sentence: 'Oaks grow for centuries [1].',
          start: 0,
          end: 28,
          verdict: 'supported',
          citations: [{ id: 1, uid: oak, quote: 'Oaks grow for centuries.' }],
        },
      ],
      supportRate: 1,
      supportJudge: null,
    });
    expect(sentTo(at.provider)[0]).toMatchObject({ role: 'system' });
    expect(sentTo(at.provider).at(-1)?.content).toContain('"citation":1');
  });

  test('as events: text and tools as they come, then exactly the JSON answer', async () => {
    at.script(calls(['find', { name: 'oak' }]), says('They are old [1].'));
    const response = await at.stream('ann', { message: 'How old are oaks?' });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    const told = await Array.fromAsync(eventsOf(response));
    const text = told.flatMap(({ event, data }) => (event === 'delta' ? [data['text']] : []));
    expect(text.join('')).toBe('They are old [1].');
    const tools = told.filter(({ event }) => event === 'tool').map(({ data }) => data);
    expect(tools).toMatchObject([
      { state: 'begun', tool: 'find', input: { name: 'oak' } },
      { state: 'ended', tool: 'find', output: { found: [{ UID: oak }] } },
    ]);
    expect(tools[1]?.['id']).toBe(tools[0]?.['id']);
    expect(told.slice(-2).map(({ event }) => event)).toEqual(['result', 'done']);
    const answer = told.at(-2)?.data;
    expect(answer).toMatchObject({ answer: 'They are old [1].', citations: [{ id: 1, uid: oak }] });
    expect(response.headers.get('msk-chat')).toBe(answer?.['chatUID']);
  });

  test('goes on with what was said, and numbers go on', async () => {
    const { chatUID } = await at.looksUp('ann', 'oak', 'Old [1].');
    const next = await at.looksUp('ann', 'elm', 'Oaks are old [1], elms rare [2].', { chatUID });
    expect(next.chatUID).toBe(chatUID);
    expect(next.citations).toMatchObject([{ id: 1, uid: oak }, { id: 2 }]);
    const sent = at.provider.requests[0]!.body['messages'] as { role: string; content: string }[];
    expect(sent.slice(1)).toMatchObject([
      { role: 'user', content: 'What of the oak?' },
      { role: 'assistant' },
      { role: 'user', content: 'What of the elm?' },
    ]);
    expect(await messages(chatUID)).toMatchObject([
      { role: 'user', text: 'What of the oak?', viewingUID: null },
      { role: 'assistant', text: 'Old [1].', ended: 'answer', error: null, feedback: null },
      { role: 'user' },
      { role: 'assistant', citations: next.citations, toolCalls: next.toolCalls },
    ]);
  });

  test('offers only the tools that read, that the user may call, and that are asked for', async () => {
    at.script(says('Hello.'));
    await at.answered('ann', { message: 'Hello' });
    expect(offeredTo(at.provider)).toEqual(expect.arrayContaining(['find', 'system__search']));
    expect(offeredTo(at.provider)).not.toContain('delete_all');
    at.script(says('Hello.'));
    await at.answered('admin', { message: 'Hello', tools: ['find', 'delete_all'] });
    expect(offeredTo(at.provider)).toEqual(['find']);
    at.script(says('Hello.'));
    for (const tools of [['find', 'nope'], ['delete_all']]) {
      const { status, json } = await at.say('ann', { message: 'Hello', tools });
      expect([status, Object(json).error.code]).toEqual([400, 'invalid_request']);
    }
    await at.answered('ann', { message: 'Hello', tools: [] });
    expect(offeredTo(at.provider)).toEqual([]);
  });

  test('tells the model what the user looks at, of what they may read', async () => {
    at.script(says('This is an oak [1].'), says('Still an oak [1].'), says('This is pay.'));
    const answer = await at.answered('ann', { message: 'What is this?', viewingUID: oak });
    expect(answer.citations).toMatchObject([{ id: 1, uid: oak }]);
    const asked = sentTo(at.provider).at(-1)?.content;
    expect(asked).toContain('What is this?');
    expect(asked).toContain('Oaks grow for centuries.');
    expect((await messages(answer.chatUID))[0]).toMatchObject({
      text: 'What is this?',
      viewingUID: oak,
    });
    const again = await at.answered('ann', { message: 'And now?', viewingUID: { uid: oak } });
    expect((await messages(again.chatUID))[0]).toMatchObject({ viewingUID: oak });
    const nowhere = { message: 'And this?', viewingUID: { type: 'Note', key: 'nowhere' } };
    expect(await at.people.outcome('ann', 'POST', CHAT, nowhere)).toEqual([404, 'node_not_found']);
    const other = { message: 'And this?', viewingUID: await at.uidOf('pay') };
    expect(await at.people.outcome('ann', 'POST', CHAT, other)).toEqual([404, 'node_not_found']);
    expect((await at.say('bob', other)).status).toBe(200);
  });

  test('asks the model that is named, of those that are allowed', async () => {
    at.script(says('Hello.'), says('Hello.'));
    expect((await at.answered('ann', { message: 'Hello', model: 'small' })).model).toBe('small');
    expect(Object(at.provider.last.body).model).toBe('small');
    const other = { message: 'Hello', model: 'other' };
    expect(await at.people.outcome('ann', 'POST', CHAT, other)).toEqual([404, 'model_not_found']);
  });

  test.each([
    ['nothing', {}],
    ['an empty message', { message: '  ' }],
    ['too long a message', { message: 'x'.repeat(32_001) }],
    ['an edit of no conversation', { message: 'x', editUID: NOBODY }],
    [
      'a message with an answer to be asked again',
      { message: 'x', chatUID: '1', regenerateUID: '1' },
    ],
    ['what there is not', { message: 'x', system: 'Obey.' }],
  ])('is refused with %s', async (_what, turn) => {
    expect(await at.people.outcome('ann', 'POST', CHAT, turn)).toEqual([400, 'invalid_request']);
  });

  test('is audited, without what was said', async () => {
    const { chatUID } = await at.looksUp('ann', 'oak', 'A word of the answer.');
    const audit = items(await at.people.as('admin', 'GET', '/api/audit?take=1000'));
    const event = audit.find(({ target }) => Object(target).id === chatUID);
    expect(event).toMatchObject({
      action: 'chat.turn',
      actor: { name: 'ann' },
      outcome: 'success',
      details: {
        model: 'large',
        tools: ['find'],
        usage: { inputTokens: 22, outputTokens: 10 },
        ended: 'answer',
      },
    });
    expect(JSON.stringify(event)).not.toContain('word of the answer');
    expect(JSON.stringify(event)).not.toContain('What of the oak');
  });
});

describe('a conversation', () => {
  test('has the first words as its title, which can be changed', async () => {
    at.script(says('Hello.'));
    const message = `Which of the trees\nin this workspace are the oldest ones, and why is that so?`;
    const { chatUID } = await at.answered('ann', { message });
    const { title } = Object(await chat(chatUID));
    expect(title).toBe('Which of the trees in this workspace are the oldest ones,…');
    const renamed = await at.ok('ann', 'PUT', `${CHATS}/${chatUID}`, { title: ' Old trees ' });
    expect(renamed).toMatchObject({ UID: chatUID, title: 'Old trees', isBusy: false });
    const found = await at.ok('ann', 'GET', `${CHATS}?query=trees+OLD`);
    expect(found).toMatchObject({ items: [{ UID: chatUID }], total: 1 });
  });

  test('may begin before anything is said, and has its title then', async () => {
    const options = await at.ok('ann', 'GET', '/api/chatai/options');
    expect(options).toMatchObject({
      isConfigured: true,
      model: 'large',
      models: ['large', 'small'],
      tools: expect.arrayContaining([{ name: 'find', description: '' }]),
    });
    const { UID: chatUID, title } = await at.ok('ann', 'POST', CHATS, {});
    expect(title).toBe('');
    at.script(says('One.'));
    await at.answered('ann', { message: 'First words', chatUID });
    expect(await chat(chatUID!)).toMatchObject({ title: 'First words', messages: [{}, {}] });
    const named = await at.ok('ann', 'POST', CHATS, { title: 'Ours' });
    expect(named).toMatchObject({ title: 'Ours', isBusy: false });
  });

  test('comes first when it was used last', async () => {
    await at.people.add('eve');
    at.script(says('One.'), says('Two.'), says('Three.'));
    const first = await at.answered('eve', { message: 'One' });
    const second = await at.answered('eve', { message: 'Two' });
    const list = async () => items(await at.people.as('eve', 'GET', CHATS)).map(({ UID }) => UID);
    expect(await list()).toEqual([second.chatUID, first.chatUID]);
    await at.answered('eve', { message: 'Three', chatUID: first.chatUID });
    expect(await list()).toEqual([first.chatUID, second.chatUID]);
    const page = await at.ok('eve', 'GET', `${CHATS}?skip=1&take=1`);
    expect(page).toMatchObject({ items: [{ UID: second.chatUID }], total: 2, skip: 1, take: 1 });
  });

  test('goes on from a message that is edited', async () => {
    at.script(says('One.'), says('Two.'), says('Three.'));
    const { chatUID } = await at.answered('ann', { message: 'First' });
    await at.answered('ann', { message: 'Second', chatUID });
    const [first] = await messages(chatUID);
    const edited = { message: 'Other', chatUID, editUID: first!['UID'] };
    expect((await at.answered('ann', edited)).answer).toBe('Three.');
    expect((await messages(chatUID)).map(({ text }) => text)).toEqual(['Other', 'Three.']);
    expect(sentTo(at.provider).map(({ content }) => content)).not.toContain('First');
  });

  test('goes on from an answer that is asked for again', async () => {
    at.script(says('One.'), says('Two.'), says('Better.'));
    const { chatUID, messageUID } = await at.answered('ann', { message: 'First' });
    await at.answered('ann', { message: 'Second', chatUID });
    const again = await at.answered('ann', { chatUID, regenerateUID: messageUID });
    expect(again.messageUID).not.toBe(messageUID);
    expect((await messages(chatUID)).map(({ text }) => text)).toEqual(['First', 'Better.']);
    for (const wrong of [
      { chatUID, regenerateUID: messageUID },
      { chatUID, message: 'x', editUID: again.messageUID },
    ]) {
      const outcome = await at.people.outcome('ann', 'POST', CHAT, wrong);
      expect(outcome).toEqual([404, 'chat_message_not_found']);
    }
  });

  test('keeps what the user thinks of an answer', async () => {
    at.script(says('One.'));
    const { chatUID, messageUID } = await at.answered('ann', { message: 'First' });
    const path = `${CHATS}/${chatUID}/messages/${messageUID}/feedback`;
    await at.ok('ann', 'PUT', path, { value: 'down', comment: 'Too short.' });
    expect((await messages(chatUID))[1]).toMatchObject({
      feedback: { value: 'down', comment: 'Too short.' },
    });
    await at.ok('ann', 'PUT', path, { value: null });
    const [question, answer] = await messages(chatUID);
    expect(answer).toMatchObject({ feedback: null });
    const of = `${CHATS}/${chatUID}/messages/${String(question!['UID'])}/feedback`;
    const outcome = await at.people.outcome('ann', 'PUT', of, { value: 'up' });
    expect(outcome).toEqual([404, 'chat_message_not_found']);
  });

  test('is gone with its messages when it is deleted', async () => {
    at.script(says('One.'));
    const { chatUID, messageUID } = await at.answered('ann', { message: 'First' });
    await at.ok('ann', 'DELETE', `${CHATS}/${chatUID}`);
    expect(await at.people.outcome('ann', 'GET', `${CHATS}/${chatUID}`)).toEqual([
      404,
      'chat_not_found',
    ]);
    for (const uid of [chatUID, messageUID]) {
      expect((await at.people.as('admin', 'GET', `/api/node/${uid}`)).status).toBe(404);
    }
  });
});

const FEEDBACK = '/api/chatai/feedback';
/** UIDs of the rated answers that administrators see listed. */
const listed = async (query = ''): Promise<unknown[]> =>
  items(await at.people.as('admin', 'GET', `${FEEDBACK}?${query}`)).map(
    ({ messageUID }) => messageUID,
  );
const rate = (as: string, { chatUID, messageUID }: Record<string, string>, body: object) =>
  at.ok(as, 'PUT', `${CHATS}/${chatUID}/messages/${messageUID}/feedback`, body);

describe('who rates an answer', () => {
  test('shows administrators the conversation up to it, and nothing else', async () => {
    const first = await at.looksUp('ann', 'oak', 'They are old [1].');
    const { chatUID } = first;
    at.script(says('Second.'), says('Third.'));
    const second = await at.answered('ann', { chatUID, message: 'And?' });
    await at.answered('ann', { chatUID, message: 'Between us: a secret.' });
    await rate('ann', second, { value: 'down', comment: 'Too short.' });
    const item = {
      messageUID: second.messageUID,
      value: 'down',
      comment: 'Too short.',
      at: expect.any(String),
      model: 'large',
      user: { uid: at.people.uid('ann'), name: 'ann' },
    };
    expect(await at.ok('admin', 'GET', FEEDBACK)).toEqual({
      items: [item],
      total: 1,
      skip: 0,
      take: 50,
    });
    const path = `${FEEDBACK}/${second.messageUID}`;
    const { messages: shown, ...rest } = await at.ok('admin', 'GET', path);
    expect(rest).toEqual(item);
    const texts = Array.from(Object(shown), ({ text }) => text);
    expect(texts).toEqual(['What of the oak?', 'They are old [1].', 'And?', 'Second.']);
    expect(Object(shown)[1]).toMatchObject({ citations: [{ uid: oak }] });
    const others = [first.messageUID, chatUID, oak, NOBODY, 'x'];
    for (const uid of others) {
      const outcome = await at.people.outcome('admin', 'GET', `${FEEDBACK}/${uid}`);
      expect(outcome).toEqual([404, 'chat_feedback_not_found']);
    }
    for (const address of [FEEDBACK, path]) {
      for (const as of ['ann', 'bob']) {
        expect(await at.people.outcome(as, 'GET', address)).toEqual([403, 'forbidden']);
      }
    }
    const read = items(await at.people.as('admin', 'GET', '/api/audit?action=chat.feedback-read'));
    expect(read).toEqual([
      expect.objectContaining({
        actor: expect.objectContaining({ name: 'admin' }),
        target: { kind: 'chat', id: chatUID, name: null },
        details: { message: second.messageUID, of: at.people.uid('ann') },
      }),
    ]);
    // Another rating moves it, and taking it back hides all.
    await rate('ann', second, { value: 'up' });
    expect(await listed('value=down')).toEqual([]);
    expect(await listed('value=up')).toEqual([second.messageUID]);
    await rate('ann', second, { value: null });
    expect(await listed()).toEqual([]);
    const outcome = await at.people.outcome('admin', 'GET', path);
    expect(outcome).toEqual([404, 'chat_feedback_not_found']);
  });

  test('is listed by time and rating, page by page, until the answer is gone', async () => {
    const rated: Record<string, string>[] = [];
    const users = ['ann', 'bob'];
    for (let i = 0; i < 6; i++) {
      at.script(says(`Answer ${i}.`));
      const answer = await at.answered(users[i % 2]!, { message: `Question ${i}` });
      rated.unshift(answer);
    }
    // The order in which they are rated does not matter.
    for (const [i, one] of rated.entries()) {
      await rate(users[(i + 1) % 2]!, one, { value: i < 3 ? 'up' : 'down' });
    }
    const uids = rated.map(({ messageUID }) => messageUID);
    expect(await listed()).toEqual(uids);
    expect(await listed('value=up')).toEqual(uids.slice(0, 3));
    expect(await listed('skip=1&take=2')).toEqual(uids.slice(1, 3));
    const all = items(await at.people.as('admin', 'GET', FEEDBACK));
    const times = all.map(({ at: time }) => String(time));
    for (const [from, to] of [
      [times[3]!, times[1]!],
      [times[5]!, times[0]!],
      [times[1]!, times[4]!],
    ] as const) {
      const between = all.filter(({ at: time }) => String(time) >= from && String(time) < to);
      const found = await listed(`from=${from}&to=${to}`);
      expect(found).toEqual(between.map(({ messageUID }) => messageUID));
    }
    for (const wrong of ['value=none', 'take=0', 'take=1001', 'from=yesterday', 'skip=-1']) {
      const outcome = await at.people.outcome('admin', 'GET', `${FEEDBACK}?${wrong}`);
      expect(outcome).toEqual([400, 'invalid_request']);
    }
    // Rated in both ways at once, it is in one list.
    const [last] = rated;
    const both = ['up', 'down', 'up', 'down'].map((value) => rate('bob', last!, { value }));
    await Promise.all(both);
    expect(await listed()).toEqual(uids);
    at.script(says('Better.'));
    const { chatUID, messageUID } = rated[0]!;
    await at.answered('bob', { chatUID, regenerateUID: messageUID });
    await at.ok('ann', 'DELETE', `${CHATS}/${rated[1]!['chatUID']}`);
    expect(await listed()).toEqual(uids.slice(2));
  });
});
