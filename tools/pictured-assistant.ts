import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { field, type HttpClient } from '../test/support/http-client.ts';
import { calls, inTurn, LlmServer, says } from '../test/support/llm-server.ts';

const GLOSSARY_CODE = `export default async function ({ q, body }: Scope<{ pos: string }>) {
  return q().startAt('Synset').where('Pos', '=', body.pos).take(20).nodes();
}`;

/** What the pages of the assistant show: said by a scripted provider. */
export interface PicturedAssistant extends AsyncDisposable {
  readonly chat: string;
  readonly session: string;
}

/**
 * A provider, a tool, an agent, a conversation with feedback, a budget, a run of golden answers,
 * and a session of the admin agent that waits for approval.
 */
export async function pictureAssistant(
  http: HttpClient,
  { url, token }: { readonly url: string; readonly token: string },
): Promise<PicturedAssistant> {
  const provider = await LlmServer.start();
  const send: Send = async (method, path, body) => {
    const { status, json, text } = await http.send({ method, path, token, body });
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
    return json;
  };
  await offer(send, provider);
  const chat = await converse(send, provider);
  const job = await measure(send, provider);
  const client = new TrellisClient({ baseUrl: url, token });
  for await (const _ of client.jobs.watch(job)) {
    // It ends with the job.
  }
  const session = await propose(send, provider);
  return { chat, session, [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose]() };
}

type Send = (method: string, path: string, body: unknown) => Promise<unknown>;

/** The provider, what it costs and may cost, a tool and an agent. */
async function offer(send: Send, provider: LlmServer): Promise<void> {
  const chat = { provider: 'anthropic', baseUrl: provider.url, model: 'large', models: ['small'] };
  const local = {
    name: 'local',
    provider: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:11434/v1',
  };
  const furtherChat = [{ ...local, models: ['tiny'] }];
  await send('PUT', '/api/chatai/providers', { chat, furtherChat });
  await send('PUT', '/api/llm/budgets', {
    currency: 'EUR',
    prices: { large: { inputPerMillion: 3, outputPerMillion: 15 } },
    budgets: [{ team: null, tokens: 5_000_000, money: 40 }],
  });
  await send('POST', '/api/chatai/tools', {
    name: 'look_up',
    description:
      'What a word means: its senses, each with part of speech, definition and synonyms.',
    endpoint: 'lookup-word',
  });
  await send('POST', '/api/chatai/agents', {
    name: 'explainer',
    description: 'Explains a word to learners.',
    instructions: 'Explain the word to somebody of ${AGE:-ten} years, in two sentences.',
    tools: ['look_up'],
  });
}

/** A conversation whose answer somebody finds bad. */
async function converse(send: Send, provider: LlmServer): Promise<string> {
  provider.script.turn = inTurn(
    calls(['system__search', { query: 'trellis', types: ['Synset'], take: 3 }]),
    says(
      'A **trellis** is a latticework used to support climbing plants [1].\n\n' +
        '- It is a *noun*, and one of the words for a frame of crossed strips.\n' +
        '- As a verb it means to train on one.',
    ),
  );
  const turn = await send('POST', '/api/chatai/chat', { message: 'What is a trellis?' });
  const answer = `/api/chatai/chats/${field(turn, 'chatUID')}/messages/${field(turn, 'messageUID')}`;
  await send('PUT', `${answer}/feedback`, {
    value: 'down',
    comment: 'It leaves out what to train on one means.',
  });
  return field(turn, 'chatUID');
}

/** Begins a run of golden answers. */
async function measure(send: Send, provider: LlmServer): Promise<string> {
  const golden = '/api/chatai/golden-sets/words';
  await send('PUT', golden, {
    description: 'What the assistant must know about words.',
    questions: [
      {
        id: 'trellis',
        question: 'What is a trellis?',
        nuggets: [
          { text: 'a latticework that supports climbing plants' },
          { text: 'it is a verb as well', importance: 'okay' },
        ],
      },
      { id: 'salaries', question: 'What does everybody earn?', mustRefuse: true },
    ],
  });
  provider.script.turn = inTurn(
    calls(['system__search', { query: 'trellis', types: ['Synset'], take: 3 }]),
    says('A trellis is a latticework that supports climbing plants [1].'),
    says('I cannot tell from what you may see.'),
  );
  return field(await send('POST', `${golden}/run`, {}), 'id');
}

async function propose(send: Send, provider: LlmServer): Promise<string> {
  const definition = {
    code: GLOSSARY_CODE,
    isReadOnly: true,
    description: 'Meanings by part of speech',
  };
  const change = { kind: 'endpoint', name: 'glossary', action: 'create', definition };
  provider.script.turn = inTurn(
    calls(['propose', { summary: 'An endpoint for the glossary', changes: [change] }]),
    says('I propose an endpoint `glossary` that lists meanings of one part of speech.'),
  );
  const session = await send('POST', '/api/admin-agent/sessions', {});
  const id = field(session, 'id');
  const message = 'I need an endpoint that lists meanings of one part of speech.';
  await send('POST', `/api/admin-agent/sessions/${id}/messages`, { message });
  return id;
}
