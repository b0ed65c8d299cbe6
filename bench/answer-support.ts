import { median } from './measure.ts';
import type { Report } from './report.ts';
import type { BenchServer } from './server.ts';

const ROUNDS = 12;
/** The first turns load what answers and checks them. */
const WARM_UP_ROUNDS = 2;
const TOWNS = `export const input = z.object({});
// In the order of the numbers that the model cites them by.
export default async ({ q }: Scope<typeof input>) => {
  const found = await q().asUser().startAt('Town').nodes();
  return { found: found.toSorted((a, b) => (String(a.Name) < String(b.Name) ? -1 : 1)) };
};
`;

interface Turn {
  readonly firstMs: number;
  readonly totalMs: number;
  readonly supported: number;
}

/**
 * What the check of support adds to a streamed answer of 600 words without a judge: the same words
 * from the same provider, with citations, which are checked, and without, when nothing is.
 */
export async function benchAnswerSupport(report: Report, server: BenchServer): Promise<void> {
  await addTowns(server);
  const turns: { checked: Turn[]; plain: Turn[] } = { checked: [], plain: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const plain = await turnOf(server, 'Tell me of the towns.');
    const checked = await turnOf(server, 'Tell me of the towns, and cite them.');
    if (plain.supported > 0 || checked.supported < 30) {
      throw new Error(`${plain.supported} and ${checked.supported} sentences are supported`);
    }
    if (round < WARM_UP_ROUNDS) continue;
    turns.plain.push(plain);
    turns.checked.push(checked);
  }
  const of = (all: readonly Turn[], member: 'firstMs' | 'totalMs') =>
    median(all.map((turn) => turn[member]));
  const [our, own] = [of(turns.checked, 'totalMs'), of(turns.plain, 'totalMs')];
  report.add({
    what: 'streamed answer of 600 words whose 60 sentences cite, until its support is there',
    ours: `${our.toFixed(0)} ms`,
    others: [`the same without citations, so unchecked, ${own.toFixed(0)} ms`],
    ratio: (our / own).toFixed(2),
    target: 'at most 1.10',
    reached: our / own <= 1.1,
  });
  const [first, ownFirst] = [of(turns.checked, 'firstMs'), of(turns.plain, 'firstMs')];
  report.add({
    what: 'first word of that answer, added by the check',
    ours: `${(first - ownFirst).toFixed(2)} ms`,
    others: [`unchecked ${ownFirst.toFixed(2)} ms`],
    ratio: (first / ownFirst).toFixed(2),
    target: 'none: at most 5 % and 5 ms, which is noise',
    reached: first - ownFirst <= Math.max(5, ownFirst * 0.05),
  });
}

/** Each has a text of some length, as nodes do. */
async function addTowns(server: BenchServer): Promise<void> {
  const fields = { Title: 'String', Text: 'String' };
  const nodes = [{ type: 'Town', key: 'Name', label: 'Title', fields }];
  await ok(server, 'PUT', '/api/schema', { nodes, edges: [] });
  const operations = Array.from({ length: 5 }, (_, at) => {
    const other = `The market of Town${at} sells cloth, tools and salt to the villages around it. `;
    const Text =
      `Town${at} was founded in ${1800 + at} by settlers from the north. ${other.repeat(20)}` +
      `The ${200 + at} mills of Town${at} grind wheat and rye today.`;
    return { op: 'addOrUpdate', type: 'Town', key: `t${at}`, fields: { Title: `Town${at}`, Text } };
  });
  await ok(server, 'POST', '/api/ingest', { operations });
  const endpoint = { name: 'towns', code: TOWNS, isReadOnly: true };
  await ok(server, 'POST', '/api/endpoints/create', endpoint);
}

async function ok(
  server: BenchServer,
  method: string,
  path: string,
  body: object,
): Promise<Response> {
  const answer = await fetch(server.url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: path.endsWith('/chat') ? 'text/event-stream' : 'application/json',
      authorization: `Bearer ${server.token}`,
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

async function turnOf(server: BenchServer, message: string): Promise<Turn> {
  const sentAt = performance.now();
  const answer = await ok(server, 'POST', '/api/chatai/chat', { message });
  let firstMs = 0;
  let told = '';
  for await (const text of answer.body!.pipeThrough(new TextDecoderStream())) {
    told += text;
    if (firstMs === 0 && told.includes('event: delta')) firstMs = performance.now() - sentAt;
  }
  const totalMs = performance.now() - sentAt;
  const result = /^event: result\n(?:id: .*\n)?data: (.*)$/m.exec(told)?.[1];
  if (result === undefined)
    throw new Error(`the turn ended without an answer: ${told.slice(-400)}`);
  const { support }: { support: { verdict: string }[] } = JSON.parse(result);
  return {
    firstMs,
    totalMs,
    supported: support.filter(({ verdict }) => verdict === 'supported').length,
  };
}
