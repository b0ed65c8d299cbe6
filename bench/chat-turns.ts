import { Agent, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { median, percentile } from './measure.ts';
import type { Report } from './report.ts';
import { post, type BenchServer } from './server.ts';

const ROUNDS = 60;
const STREAMS = 50;
/** A user has at most eight answers under way. */
const STREAMS_PER_USER = 5;
const PASSWORD = 'bench password';
const TURN = JSON.stringify({ message: 'Say a hundred tokens.' });
const REQUEST = JSON.stringify({
  model: 'm',
  stream: true,
  messages: [{ role: 'user', content: 'Say a hundred tokens.' }],
});

interface Asked {
  readonly url: string;
  readonly token: string;
  readonly body: string;
}

/** When a token was said and when it has arrived, in milliseconds of one clock. */
interface Token {
  readonly saidMs: number;
  readonly arrivedMs: number;
}

/**
 * Turns of the chat over Server-Sent Events, whose provider at `providerUrl` says when it has said
 * each token.
 */
export async function benchChatTurns(
  report: Report,
  server: BenchServer,
  providerUrl: string,
): Promise<void> {
  await first(report, server, providerUrl);
  await between(report, server);
}

async function first(report: Report, server: BenchServer, providerUrl: string): Promise<void> {
  const ours = { url: `${server.url}/api/chatai/chat`, token: server.token, body: TURN };
  const plain = { url: `${providerUrl}/chat/completions`, token: '', body: REQUEST };
  const times: { ours: number[]; plain: number[] } = { ours: [], plain: [] };
  using agent = agentOf();
  for (let round = 0; round < ROUNDS; round++) {
    const [a, b] = [await firstTokenMs(plain, agent.agent), await firstTokenMs(ours, agent.agent)];
    // The first turns load what answers them.
    if (round < 5) continue;
    times.plain.push(a);
    times.ours.push(b);
  }
  const [our, own] = [median(times.ours), median(times.plain)];
  report.add({
    what: "first token of a chat turn, added to the provider's own",
    ours: `${(our - own).toFixed(2)} ms`,
    others: [`the provider itself ${own.toFixed(2)} ms`],
    ratio: (our / own).toFixed(2),
    target: 'at most 20 ms added',
    reached: our - own <= 20,
  });
}

async function between(report: Report, server: BenchServer): Promise<void> {
  const tokens = await usersOf(server, STREAMS / STREAMS_PER_USER);
  using agent = agentOf();
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, (_, i) =>
      tokensOf(
        {
          url: `${server.url}/api/chatai/chat`,
          token: tokens[i % tokens.length] ?? '',
          body: TURN,
        },
        agent.agent,
      ),
    ),
  );
  const added = streams.flatMap(addedDelays).toSorted((a, b) => a - b);
  const p99 = percentile(added, 0.99);
  report.add({
    what: `delay between two tokens of a chat turn, ${STREAMS} streams at a time, added p99`,
    ours: `${p99.toFixed(2)} ms`,
    others: [],
    ratio: '-',
    target: 'at most 50 ms added',
    reached: p99 <= 50,
  });
}

/** How much longer than between being said, it was between arriving. */
function addedDelays(tokens: readonly Token[]): number[] {
  return tokens.slice(1).map((token, i) => {
    const before = tokens[i] ?? token;
    return token.arrivedMs - before.arrivedMs - (token.saidMs - before.saidMs);
  });
}

async function usersOf(server: BenchServer, count: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let i = 0; i < count; i++) {
    const userName = `bench-${i}`;
    const email = `${userName}@example.com`;
    await post(server, '/api/users', { userName, email, password: PASSWORD });
    const login = { user: userName, password: PASSWORD };
    const answer = await post({ url: server.url, token: '' }, '/api/login/create', login);
    tokens.push(String(Object(await answer.json()).token));
  }
  return tokens;
}

async function firstTokenMs(asked: Asked, agent: Agent): Promise<number> {
  const sentMs = nowMs();
  const [token] = await tokensOf(asked, agent, 1);
  if (token === undefined) throw new Error(`${asked.url} says nothing`);
  return token.arrivedMs - sentMs;
}

/** Reads an answer to its end, or until it has so many tokens. */
async function tokensOf(
  { url, token, body }: Asked,
  agent: Agent,
  tokensMax = Infinity,
): Promise<Token[]> {
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
  };
  const sent = request(url, { method: 'POST', agent, headers }).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`${url} answers ${answer.statusCode}`);
  const tokens: Token[] = [];
  let rest = '';
  answer.setEncoding('utf8').on('data', (text: string) => {
    const arrivedMs = nowMs();
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      // The last event repeats the whole answer.
      if (event.startsWith('event: result')) continue;
      for (const [said] of event.matchAll(/\d{12,}/g)) {
        tokens.push({ saidMs: Number(said) / 1e6, arrivedMs });
      }
    }
    if (tokens.length >= tokensMax) answer.destroy();
  });
  await once(answer, 'close');
  return tokens;
}

function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function agentOf(): Disposable & { readonly agent: Agent } {
  const agent = new Agent({ keepAlive: true });
  return { agent, [Symbol.dispose]: () => agent.destroy() };
}
