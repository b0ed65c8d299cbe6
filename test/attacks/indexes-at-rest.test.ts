import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HttpClient, valueAt } from '../support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

const MASTER_KEY = 'a master key of more than thirty-two bytes';
const INDEXES = [
  { field: 'Text' },
  { field: 'Number' },
  { field: 'Tags' },
  { field: 'Secret', unique: true },
  { field: 'At' },
  { fields: ['Text', 'Number'] },
];
const FIELDS = { Text: 'String', Number: 'Long', Tags: 'String[]', Secret: 'String', At: 'Time' };

const word = (): string => randomBytes(12).toString('hex');

/** What a key that is not hashed would show of a value. */
interface Planted {
  readonly texts: readonly string[];
  readonly number: number;
  readonly atMs: number;
}

/** A double as keys hold it: those above 0 with the highest bit turned. */
function keyOf(number: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(number);
  bytes[0]! ^= 0x80;
  return bytes;
}

async function filesThatHold(folder: string, wanted: readonly Buffer[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    if (!(await stat(path)).isFile()) continue;
    const bytes = await readFile(path);
    if (wanted.some((one) => bytes.includes(one))) found.push(name);
  }
  return found.toSorted();
}

/** Plants values before and after indexes are added, and asks for one by an index. */
async function plant(storage: string, env: Record<string, string>): Promise<Planted> {
  const [text, tag, secret, later] = [word(), word(), word(), word()];
  // Bits that no other number has.
  const number = 2 ** 45 + randomBytes(4).readUInt32BE();
  const atMs = Date.UTC(2019, 3, 5) + (randomBytes(4).readUInt32BE() % 100_000_000);
  await using server = await TrellisProcess.start({ storage, env });
  const http = new HttpClient(server.url);
  const token = await http.signIn();
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await http.send({ method, path, token, body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.json;
  };
  const note = (key: string, fields: object) => ({ op: 'addOrUpdate', type: 'Note', key, fields });
  const putSchema = (indexes: readonly object[]) =>
    send('PUT', '/api/schema', {
      nodes: [{ type: 'Note', key: 'K', fields: FIELDS, indexes }],
      edges: [],
    });
  await putSchema([]);
  const fields = { Text: text, Number: number, Tags: [tag], Secret: secret, At: atMs };
  await send('POST', '/api/ingest', { operations: [note('a', fields)] });
  await putSchema(INDEXES);
  const states = async (): Promise<unknown[]> => {
    const types = valueAt(await send('GET', '/api/schema'), 'nodes') as {
      type: string;
      indexes?: { state: string }[];
    }[];
    return types.find(({ type }) => type === 'Note')?.indexes?.map(({ state }) => state) ?? [];
  };
  await expect.poll(states).toEqual(INDEXES.map(() => 'ready'));
  const more = { Text: later, Number: number, Tags: [tag, later], Secret: later, At: atMs };
  await send('POST', '/api/ingest', { operations: [note('b', more)] });
  const code = `export default async ({ q }: Scope) => ({
    explained: await q().startWhere('Note', 'Text', '=', '${later}').explain(),
    found: await q().startWhere('Note', 'Secret', '=', '${secret}').count(),
    sorted: (await q().startAt('Note').sortBy('Text').uids()).length,
  });`;
  await send('POST', '/api/endpoints/create', { name: 'probe', isReadOnly: true, code });
  expect(await send('POST', '/api/endpoints/run/probe', {})).toMatchObject({
    explained: { steps: [{ access: 'index', rowsOut: 1 }] },
    found: 1,
    sorted: 2,
  });
  await send('POST', '/api/ingest', { operations: [{ op: 'delete', type: 'Note', key: 'a' }] });
  expect(await server.stop()).toBe(0);
  return { texts: [text, tag, secret, later], number, atMs };
}

const needles = ({ texts, number, atMs }: Planted): Buffer[] => [
  ...texts.map((one) => Buffer.from(one)),
  keyOf(number),
  keyOf(atMs),
];

test('of an encrypted folder no file shows a value that is indexed, as text or as a key', async () => {
  await using folder = await temporaryFolder();
  const planted = await plant(folder.path, { MSK_GRAPH_MASTER_KEY: MASTER_KEY });
  expect(await filesThatHold(folder.path, needles(planted))).toEqual([]);
});

test('of one that is not encrypted each of them is found so', async () => {
  await using folder = await temporaryFolder();
  const planted = await plant(folder.path, {});
  for (const needle of needles(planted)) {
    expect(await filesThatHold(folder.path, [needle])).toContain('graph/data.mdb');
  }
});
