import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchAnswerSupport } from './answer-support.ts';
import { benchChatTurns } from './chat-turns.ts';
import { percentile } from './measure.ts';
import type { Report } from './report.ts';
import { firstLine, post, startServer, type BenchServer } from './server.ts';

const ROUNDS = 5;
const SECONDS = 1.5;
const CONNECTIONS = 32;
const BODY = JSON.stringify({
  model: 'm',
  stream: true,
  stream_options: { include_usage: true },
  messages: [{ role: 'user', content: 'Say two hundred tokens.' }],
});

interface Target {
  readonly url: string;
  /** Of each connection one: a token has a limit of requests a minute. */
  readonly tokens: readonly string[];
}

interface Asked {
  readonly url: string;
  readonly token: string;
}

interface Streamed {
  readonly answersPerSecond: number;
  /** Milliseconds until the first token, sorted. */
  readonly first: readonly number[];
}

/**
 * Streamed answers through the LLM router against a plain streaming proxy, turns of the chat
 * against the provider itself, and what the check of support adds to one.
 */
export async function benchLlm(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  const children: ChildProcess[] = [];
  try {
    const start = async (file: string, ...args: string[]): Promise<string> => {
      const child = spawn(process.execPath, [file, ...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      return firstLine(child);
    };
    const provider = await start(join(import.meta.dirname, 'peers/llm-provider.ts'));
    const proxy = await start(join(import.meta.dirname, 'peers/streaming-proxy.ts'), provider);
    await using server = await startServer(join(folder, 'store'), 'none');
    const tokens = await routerTokens(server, `http://127.0.0.1:${provider}/v1`);
    const ours = { url: `${server.url}/api/llm/openai/v1/chat/completions`, tokens };
    await compare(report, ours, { url: `http://127.0.0.1:${proxy}/`, tokens: [] });
    const paced = await start(join(import.meta.dirname, 'peers/paced-provider.ts'));
    await useProvider(server, `http://127.0.0.1:${paced}/v1`);
    await benchChatTurns(report, server, `http://127.0.0.1:${paced}/v1`);
    const citing = await start(join(import.meta.dirname, 'peers/citing-provider.ts'));
    await useProvider(server, `http://127.0.0.1:${citing}/v1`);
    await benchAnswerSupport(report, server);
  } finally {
    for (const child of children) child.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

async function compare(report: Report, ours: Target, plain: Target): Promise<void> {
  let best = { ours: await stream(ours, CONNECTIONS), plain: await stream(plain, CONNECTIONS) };
  for (let round = 0; round < ROUNDS; round++) {
    best = {
      plain: better(best.plain, await stream(plain, CONNECTIONS)),
      ours: better(best.ours, await stream(ours, CONNECTIONS)),
    };
  }
  const ratio = best.ours.answersPerSecond / best.plain.answersPerSecond;
  report.add({
    what: `streamed answers of 200 tokens through the LLM router, ${CONNECTIONS} at a time`,
    ours: `${Math.round(best.ours.answersPerSecond)} answers/s`,
    others: [`plain streaming proxy ${Math.round(best.plain.answersPerSecond)} answers/s`],
    ratio: ratio.toFixed(2),
    target: '0.8',
    reached: ratio >= 0.8,
  });
  const alone = { ours: await stream(ours, 1), plain: await stream(plain, 1) };
  const [first, plainFirst] = [alone.ours.first, alone.plain.first].map((times) =>
    percentile(times, 0.5),
  ) as [number, number];
  report.add({
    what: 'first token through the LLM router, added to that of the proxy',
    ours: `${(first - plainFirst).toFixed(2)} ms`,
    others: [`plain streaming proxy ${plainFirst.toFixed(2)} ms`],
    ratio: (first / plainFirst).toFixed(2),
    target: 'at most 20 ms added',
    reached: first - plainFirst <= 20,
  });
}

function better(a: Streamed, b: Streamed): Streamed {
  return b.answersPerSecond > a.answersPerSecond ? b : a;
}

async function useProvider(server: BenchServer, baseUrl: string): Promise<void> {
  const tokensPerUserAndDay = 1_000_000_000_000;
  const chat = { provider: 'openai-compatible', baseUrl, model: 'm', tokensPerUserAndDay };
  const answer = await fetch(`${server.url}/api/chatai/providers`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${server.token}` },
    body: JSON.stringify({ chat }),
  });
  if (!answer.ok) throw new Error(`the provider: ${answer.status} ${await answer.text()}`);
}

async function routerTokens(server: BenchServer, baseUrl: string): Promise<string[]> {
  await useProvider(server, baseUrl);
  const check = await fetch(`${server.url}/api/login/check`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  const actingUser = String(Object(Object(await check.json()).user).uid);
  const make = async (_: unknown, number: number): Promise<string> => {
    const asked = { kind: 'llm-openai', name: `bench ${number}`, actingUser };
    const made = await post(server, '/api/tokens', asked);
    return String(Object(await made.json()).token);
  };
  return Promise.all(Array.from({ length: CONNECTIONS }, make));
}

/** As many answers as there is time for, so many at once. */
async function stream(target: Target, connections: number): Promise<Streamed> {
  const agent = new Agent({ keepAlive: true });
  const until = performance.now() + SECONDS * 1_000;
  const first: number[] = [];
  const started = performance.now();
  const one = async (_: unknown, number: number): Promise<void> => {
    const { url, tokens } = target;
    const asked = { url, token: tokens[number] ?? '' };
    while (performance.now() < until) first.push(await readAnswer(asked, agent));
  };
  await Promise.all(Array.from({ length: connections }, one));
  const seconds = (performance.now() - started) / 1_000;
  agent.destroy();
  return { answersPerSecond: first.length / seconds, first: first.toSorted((a, b) => a - b) };
}

/** Reads it to its end; resolves with the milliseconds until its first token. */
async function readAnswer({ url, token }: Asked, agent: Agent): Promise<number> {
  const sentAt = performance.now();
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const asked = request(url, { method: 'POST', agent, headers }).end(BODY);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`${url} answers ${answer.statusCode}`);
  let firstAt = 0;
  let tail = '';
  answer.setEncoding('latin1').on('data', (text: string) => {
    if (firstAt === 0) firstAt = performance.now();
    tail = (tail + text).slice(-16);
  });
  await once(answer, 'end');
  if (!tail.endsWith('[DONE]\n\n')) throw new Error(`${url} broke off`);
  return firstAt - sentAt;
}
