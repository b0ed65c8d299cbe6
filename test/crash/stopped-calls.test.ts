import { expect, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

const CALLERS = 16;
const ANSWERED_BEFORE_STOP = 40;
const SCHEMA = {
  nodes: [
    { type: 'Counter', key: 'Name', fields: { Value: 'Int' } },
    { type: 'Left', key: 'Call', fields: { Number: 'Int' } },
    { type: 'Right', key: 'Call', fields: { Number: 'Int' } },
  ],
  edges: [],
};
/** Three writes; each call gets another number. */
const COUNT = `export default async ({ body, graph }: Scope<{ call: string }>) => {
  const Number = ((await graph.tryGet('Counter', 'all'))?.Value ?? 0) + 1;
  await graph.addOrUpdate('Left', body.call, { Number });
  await graph.addOrUpdate('Counter', 'all', { Value: Number });
  await graph.addOrUpdate('Right', body.call, { Number });
  return Number;
};
`;
const LOOK = `export default async ({ q, graph }: Scope) => {
  const left = await q().startAt('Left').nodes();
  const right = await q().startAt('Right').nodes();
  return {
    counted: (await graph.get('Counter', 'all')).Value,
    left: left.map(({ Call, Number }) => [Call, Number]),
    right: right.map(({ Call, Number }) => [Call, Number]),
  };
};
`;

type Numbered = readonly (readonly [call: string, number: number])[];

const byNumber = (calls: Numbered) => calls.toSorted(([, a], [, b]) => a - b);

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'calls that commit while the server gets %s are there when they were answered, and none is there in part',
  async (signal) => {
    await using folder = await temporaryFolder();
    await using server = await TrellisProcess.start({ storage: folder.path });
    const http = new HttpClient(server.url);
    const token = await http.signIn();
    const ok = async (method: string, path: string, body: unknown) => {
      const { status, text, json } = await http.send({ method, path, token, body });
      expect(status, text).toBeLessThan(300);
      return json;
    };
    await ok('PUT', '/api/schema', SCHEMA);
    await ok('POST', '/api/endpoints/create', { name: 'count', code: COUNT });
    await ok('POST', '/api/endpoints/create', { name: 'look', code: LOOK });

    const answered: [string, number][] = [];
    const refused: unknown[] = [];
    const enough = Promise.withResolvers<void>();
    const caller = async (who: number): Promise<void> => {
      for (let i = 0; server.isRunning; i++) {
        const call = `${who}-${i}`;
        const path = '/api/endpoints/run/count';
        const answer = await http.send({ path, token, body: { call } }).catch(() => undefined);
        // Whoever is cut off cannot know.
        if (answer === undefined) return;
        if (answer.status !== 200) {
          refused.push([answer.status, Object(answer.json).error?.code]);
          return;
        }
        answered.push([call, Number(answer.json)]);
        if (answered.length === ANSWERED_BEFORE_STOP) enough.resolve();
      }
    };
    const callers = Array.from({ length: CALLERS }, (_, who) => caller(who));
    await enough.promise;
    await (signal === 'SIGTERM' ? server.stop() : server.kill());
    await Promise.all(callers);
    for (const one of refused) expect(one).toEqual([503, 'server_stopping']);

    await using again = await TrellisProcess.start({ storage: folder.path });
    const path = '/api/endpoints/run/look';
    const { json } = await new HttpClient(again.url).send({ path, token, body: {} });
    const { counted, left, right } = Object(json) as {
      counted: number;
      left: Numbered;
      right: Numbered;
    };
    expect(byNumber(left)).toEqual(byNumber(right));
    expect(byNumber(left).map(([, number]) => number)).toEqual(
      Array.from({ length: counted }, (_, i) => i + 1),
    );
    expect(left).toEqual(expect.arrayContaining(answered));
  },
);
