import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHAT, CHATS, ChatScene, eventsOf, type ToldEvent } from '../support/chat-scene.ts';
import { calls, says, type LlmTurn } from '../support/llm-server.ts';
import { PASSWORD } from '../support/people.ts';
import { TrellisProcess } from '../support/trellis-process.ts';

const COUNTED = 'One two three four five six seven eight.';

let at: ChatScene;
beforeAll(async () => {
  at = await ChatScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());

/** A model that says a piece, and then waits until it is let go on. */
function held(text = COUNTED): { turn: LlmTurn; goOn: () => void } {
  const gate = Promise.withResolvers<void>();
  const beforeEvent = (index: number) => (index < 4 ? undefined : gate.promise);
  return { turn: { ...says(text), beforeEvent }, goOn: gate.resolve };
}

/** A turn in the background, of which the client hears its first words and leaves. */
async function left(as: string, turn: object, wait = 'delta'): Promise<string> {
  const leaving = new AbortController();
  const response = await at.stream(as, { ...turn, background: true }, leaving.signal);
  const chatUID = response.headers.get('msk-chat')!;
  for await (const { event, data } of eventsOf(response)) {
    if (event === wait && data['state'] !== 'begun') break;
  }
  leaving.abort();
  return chatUID;
}

const chat = async (uid: string) => Object(await at.ok('ann', 'GET', `${CHATS}/${uid}`));
const reply = async (uid: string) => (await chat(uid)).messages.at(-1);
const textOf = (told: readonly ToldEvent[]) =>
  told.flatMap(({ event, data }) => (event === 'delta' ? [data['text']] : [])).join('');

test('a turn in the background goes on without its client; who watches has all of it', async () => {
  const { turn, goOn } = held();
  at.script(calls(['find', { name: 'oak' }]), turn);
  const chatUID = await left('ann', { message: 'Count' });
  const watchers = [await at.watch('ann', chatUID), await at.watch('ann', chatUID)];
  const streams = watchers.map((response) => eventsOf(response));
  const told: ToldEvent[][] = [[], []];
  for (const [index, stream] of streams.entries()) {
    while (textOf(told[index]!) === '') told[index]!.push((await stream.next()).value!);
  }
  const now = await chat(chatUID);
  expect([now.isBusy, now.busyWith]).toEqual([true, 'turn']);
  goOn();
  for (const [index, stream] of streams.entries()) {
    for await (const event of stream) told[index]!.push(event);
    const [begun] = told[index]!;
    expect(begun).toMatchObject({ event: 'begun', data: { messageUID: now.messages[1].UID } });
    expect(told[index]!.slice(1, 3).map(({ event, data }) => [event, data['state']])).toEqual([
      ['tool', 'begun'],
      ['tool', 'ended'],
    ]);
    expect(textOf(told[index]!)).toBe(COUNTED);
    expect(told[index]!.at(-1)?.event).toBe('end');
  }
  // The last event says that it is kept.
  expect(await chat(chatUID)).toMatchObject({
    isBusy: false,
    busyWith: null,
    messages: [{}, { text: COUNTED, ended: 'answer', toolCalls: [{ tool: 'find' }] }],
  });
});

test('who comes back gets what they lack, and nothing twice', async () => {
  const { turn, goOn } = held();
  at.script(calls(['find', { name: 'oak' }]), turn);
  const chatUID = await left('ann', { message: 'Count' });
  const first = await at.watch('ann', chatUID);
  const told: ToldEvent[] = [];
  for await (const event of eventsOf(first)) {
    told.push(event);
    if (event.event === 'delta') break;
  }
  for (const { id } of told) expect(id).not.toBe('');
  const rest = await at.watch('ann', chatUID, told.at(-1)!.id);
  const early = await at.watch('ann', chatUID, told[1]!.id);
  // That of an answer before, or of none: from the beginning.
  const others = [`${'A'.repeat(22)}-9-9`, 'what?', `${told.at(-1)!.id}9999999`];
  const whole = await Promise.all(others.map((id) => at.watch('ann', chatUID, id)));
  goOn();
  const after = await Array.fromAsync(eventsOf(rest));
  expect(after.map(({ event }) => event)).not.toContain('begun');
  expect(after.map(({ event }) => event)).not.toContain('tool');
  expect(textOf(told) + textOf(after)).toBe(COUNTED);
  const since = await Array.fromAsync(eventsOf(early));
  expect(since[0]).toMatchObject({ event: 'tool', data: { state: 'ended' } });
  expect(textOf(since)).toBe(COUNTED);
  for (const response of whole) {
    const all = await Array.fromAsync(eventsOf(response));
    expect([all[0]?.event, textOf(all)]).toEqual(['begun', COUNTED]);
  }
});

test('it is stopped by whoever has the conversation, and by nobody else', async () => {
  const { turn, goOn } = held();
  at.script(turn);
  const chatUID = await left('ann', { message: 'Count' });
  const watched = await at.watch('ann', chatUID);
  for (const as of ['bob', 'admin']) {
    expect((await at.watch(as, chatUID)).status).toBe(404);
    const path = `${CHATS}/${chatUID}/stop`;
    expect(await at.people.outcome(as, 'POST', path)).toEqual([404, 'chat_not_found']);
  }
  await at.ok('ann', 'POST', `${CHATS}/${chatUID}/stop`);
  const told = await Array.fromAsync(eventsOf(watched));
  expect(told.at(-1)?.event).toBe('end');
  expect(await reply(chatUID)).toMatchObject({ text: textOf(told), ended: 'stopped', error: null });
  await at.provider.left(1);
  goOn();
});

test('where no answer is under way there is nothing to watch', async () => {
  at.script(says('Yes.'));
  const { chatUID } = await at.answered('ann', { message: 'Is it?', background: true });
  const told = await Array.fromAsync(eventsOf(await at.watch('ann', chatUID)));
  expect(told.map(({ event }) => event)).toEqual(['end']);
});

test('a client that waited for JSON may leave it too', async () => {
  const { turn, goOn } = held();
  at.script(turn);
  const leaving = new AbortController();
  const { url } = at.people.workspace.server;
  const answer = fetch(new URL(CHAT, url), {
    method: 'POST',
    signal: leaving.signal,
    headers: {
      authorization: `Bearer ${at.people.token('ann')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ message: 'Wait', background: true }),
  });
  answer.catch(() => undefined);
  await at.provider.received(1);
  const [{ UID: chatUID }] = Object(await at.ok('ann', 'GET', `${CHATS}?take=1`)).items;
  leaving.abort();
  const watched = await at.watch('ann', chatUID);
  goOn();
  expect(textOf(await Array.fromAsync(eventsOf(watched)))).toBe(COUNTED);
  expect((await reply(chatUID)).ended).toBe('answer');
});

test('what a tool has found is shown as far as it may be seen now', async () => {
  const { turn, goOn } = held();
  at.script(calls(['find', { name: 'elm' }]), turn);
  const chatUID = await left('ann', { message: 'What of the elm?' });
  const seen = await at.watch('ann', chatUID);
  for await (const { event, data } of eventsOf(seen)) {
    if (data['state'] !== 'ended') continue;
    expect([event, JSON.stringify(data)]).toEqual(['tool', expect.stringContaining('Elms')]);
    break;
  }
  const node = { type: 'Note', key: 'elm' };
  await at.ingest({ op: 'restrict', node, user: { uid: at.people.uid('bob') } });
  const hidden = await at.watch('ann', chatUID);
  goOn();
  const told = await Array.fromAsync(eventsOf(hidden));
  expect(textOf(told)).toBe(COUNTED);
  expect(JSON.stringify(told)).not.toContain('Elms');
});

test('it ends with the session of its user, and says so', async () => {
  await at.people.add('eve');
  const { turn, goOn } = held();
  at.script(turn);
  const chatUID = await left('eve', { message: 'Count' });
  await at.people.as('eve', 'POST', '/api/login/end');
  await at.provider.left(1);
  const { http } = at.people.workspace;
  const token = await http.signIn('eve', PASSWORD);
  const { messages } = Object((await http.send({ path: `${CHATS}/${chatUID}`, token })).json);
  expect(messages.at(-1)).toMatchObject({ ended: 'failed', error: { code: 'invalid_token' } });
  goOn();
});

test('a server that stops says so, and keeps what was said', async () => {
  const connected = held();
  const alone = held();
  at.script(connected.turn, alone.turn);
  const response = await at.stream('ann', { message: 'Count' });
  const stream = eventsOf(response);
  await stream.next();
  const chats = [response.headers.get('msk-chat')!, await left('ann', { message: 'Count' })];
  const rest = Array.fromAsync(stream);
  const { server, storage } = at.people.workspace;
  await server.stop();
  connected.goOn();
  alone.goOn();
  expect((await rest).at(-2)).toMatchObject({ event: 'result', data: { ended: 'interrupted' } });
  await using restarted = await TrellisProcess.start({ storage });
  for (const uid of chats) {
    const answer = await fetch(new URL(`${CHATS}/${uid}`, restarted.url), {
      headers: { authorization: `Bearer ${at.people.token('ann')}` },
    });
    const { isBusy, messages } = Object(await answer.json());
    expect([isBusy, messages[1].ended, messages[1].error]).toEqual([false, 'interrupted', null]);
    expect(COUNTED.startsWith(messages[1].text) && messages[1].text !== '').toBe(true);
  }
});
