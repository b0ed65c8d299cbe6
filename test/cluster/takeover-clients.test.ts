import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { must } from '../../server/src/base/assert.ts';
import { LlmServer, says } from '../support/llm-server.ts';
import { OtlpReceiver } from '../support/otlp/otlp-receiver.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { requirePostgres } from '../support/requires.ts';
import { type MemberNode, Members } from './members.ts';

const NAMES = ['one', 'two', 'three'];
/** A takeover of a busy machine takes longer than people wait. */
const PATIENT = { retryAfterMsMax: 600_000 };
const COUNT = `export default async ({ q }: Scope<{}>) => q().startAt('Note').count();`;
const PLACE = {
  code: "export default ({ q }: Scope) => q().startAt('Note').where('",
  line: 1,
  column: 61,
};

/** What a watch has told last. */
class Heard {
  #value = -1;
  #tell = (): void => undefined;

  readonly take = (value: number): void => {
    this.#value = value;
    this.#tell();
  };

  async reaches(value: number): Promise<void> {
    while (this.#value < value) await new Promise<void>((resolve) => (this.#tell = resolve));
  }
}

describe.skipIf(requirePostgres())('the SDK, over a takeover', () => {
  const resources = new AsyncDisposableStack();
  const watching = new AbortController();
  const heard = new Heard();
  let members: Members;
  let nodes: readonly MemberNode[];
  let provider: LlmServer;
  let receiver: OtlpReceiver;
  let client: TrellisClient;
  let watch: Promise<void>;
  let notes = 0;
  let sequence = 0;

  beforeAll(async () => {
    const postgres: PostgresServer = resources.use(await startPostgres());
    provider = resources.use(await LlmServer.start());
    receiver = resources.use(await OtlpReceiver.start());
    members = resources.use(await Members.create(postgres.url, receiver.env));
    const started: MemberNode[] = [];
    for (const name of NAMES) {
      const node = await members.start(name);
      await node.process.ready;
      started.push(node);
    }
    nodes = started;
    const [baseUrl = '', ...replicas] = nodes.map(({ address }) => address);
    const token = await must(nodes[0], 'a member').http.signIn();
    client = new TrellisClient({ baseUrl, replicas, token, retry: PATIENT });
    const note = { type: 'Note', key: 'Name', fields: { Text: 'String' } } as const;
    await client.schema.put({ nodes: [note], edges: [] });
    await client.endpoints.create({ name: 'notes/count', code: COUNT, isReadOnly: true });
    const chat = { provider: 'openai-compatible', baseUrl: provider.url, model: 'm', apiKey: 'k' };
    await client.aiProviders.put({ chat: { ...chat, provider: 'openai-compatible' } });
    const { signal } = watching;
    watch = client.watchEndpoint<number>('notes/count', {}, heard.take, { signal });
    await write();
  });
  afterAll(async () => {
    watching.abort();
    await watch;
    await resources.disposeAsync();
  });

  /** A write that was cut off may have arrived: it is sent again, and is the same. */
  async function write(): Promise<void> {
    const key = `note ${++notes}`;
    for (;;) {
      try {
        await client.graph.ingest([
          { op: 'addOrUpdate', type: 'Note', key, fields: { Text: key } },
        ]);
        break;
      } catch (error) {
        expect(error).toMatchObject({ code: 'connection_failed' });
      }
    }
    expect(client.lastWriteSequence).toBeGreaterThan(sequence);
    sequence = client.lastWriteSequence;
  }

  async function expectAllThere(): Promise<void> {
    await write();
    await heard.reaches(notes);
    expect(await client.endpoints.run('notes/count')).toBe(notes);
  }

  it('finds the new primary when the old one is killed, and goes on with what it had open', async () => {
    using editor = client.build.openEditor();
    const before = await editor.completions(PLACE);
    expect(before.items.map(({ label }) => label)).toContain('Text');
    await heard.reaches(notes);
    provider.script.turn = () => ({
      ...says('One two three four five six.'),
      beforeEvent: (index) => (index < 3 ? undefined : new Promise(() => undefined)),
    });
    const turn = client.chats.stream({ message: 'Count', background: true });
    let chatUID = '';
    for await (const event of turn) {
      if (event.kind === 'begun') ({ chatUID } = event);
      if (event.kind === 'delta') break;
    }
    const told = client.chats.watch(chatUID);
    expect((await told.next()).value).toMatchObject({ kind: 'begun' });

    await must(nodes[0], 'a member').process.kill();
    const primary = members.primaryBut(must(nodes[0], 'a member'));
    await write();
    expect(nodes).toContain(await primary);
    await expectAllThere();
    // Who waits for the rest of an answer is told how it ended.
    for await (const event of told) expect(event.kind).toBe('delta');
    const chat = await client.chats.get(chatUID);
    expect(chat.messages.at(-1)).toMatchObject({ ended: 'interrupted' });
    provider.script.turn = () => says('Six.');
    const again = await client.chats.send({ message: 'And?', chatUID });
    expect(again.answer).toBe('Six.');
    // What was asked on the connection that broke is over; the next one is at another member.
    const after = await editor.completions(PLACE).catch(() => editor.completions(PLACE));
    expect(after).toEqual(before);
  });

  it('finds it when the old one steps down, which then follows', async () => {
    const [one] = nodes;
    must(one, 'a member').launch();
    await must(one, 'a member').process.ready;
    using editor = client.build.openEditor();
    const before = await editor.completions(PLACE);
    const old = await members.primaryBut();
    await client.members.stepDown();
    expect(await members.primaryBut(old)).not.toBe(old);
    await expectAllThere();
    const after = await editor.completions(PLACE).catch(() => editor.completions(PLACE));
    expect(after).toEqual(before);
    const { primary, term } = await client.members.list();
    expect(primary).not.toBe(old.name);
    const told = (name: string, value: number, attributes: object = {}) =>
      receiver.waitFor(
        () =>
          receiver.points.find((point) => {
            const isSame = Object.entries(attributes).every(
              ([key, wanted]) => point.attributes[key] === wanted,
            );
            return point.name === name && point.value >= value && isSame;
          }),
        name,
      );
    await told('trellis.member.term', term);
    await told('trellis.member.takeovers', 1);
    await told('trellis.member.lag', 0, { 'trellis.member.name': old.name });
    await told('trellis.lease.renewal.duration', 1, { 'trellis.lease.outcome': 'ok' });
  });
});
