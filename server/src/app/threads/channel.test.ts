import { MessageChannel } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { Problem } from '#base/problem.ts';
import { Channel, type Handlers } from './channel.ts';

interface ServerCalls {
  add(numbers: readonly number[]): number;
  count(to: number, progress: number): string;
  wait(): void;
  reverse(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
  fail(code: 'invalid_request' | 'bug'): void;
  greet(name: string): void;
  greetings(): readonly string[];
}

interface ClientCalls {
  double(value: number): number;
}

const greeted: string[] = [];
const HANDLERS: Handlers<ServerCalls> = {
  add: (numbers) => numbers.reduce((sum, value) => sum + value, 0),
  count: (to, { progress }) => {
    for (let step = 1; step <= to; step++) progress(step);
    return `counted to ${to}`;
  },
  wait: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      const leave = (): void => reject(signal.reason);
      if (signal.aborted) leave();
      signal.addEventListener('abort', leave);
    }),
  reverse: (bytes, { handOver }) => {
    handOver(bytes.buffer);
    bytes.set(bytes.toReversed());
    return bytes;
  },
  fail: (code) => {
    if (code === 'bug') throw new TypeError('something is undefined');
    throw new Problem(code, 'It is refused.', { hint: 'Do not ask.', details: { line: 3 } });
  },
  greet: (name) => void greeted.push(name),
  greetings: () => greeted,
};

/** Both sides, in one thread. */
function connect(handlers: Handlers<ServerCalls> | Promise<Handlers<ServerCalls>> = HANDLERS) {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const server = new Channel<ClientCalls, ServerCalls>(port1, handlers);
  const client = new Channel<ServerCalls, ClientCalls>(port2, { double: (value) => 2 * value });
  return { server, client };
}

test('both sides ask and answer', async () => {
  const { server, client } = connect();
  const answers = [client.ask('add', [1, 2]), server.ask('double', 21), client.ask('add', [])];
  expect(await Promise.all(answers)).toEqual([3, 42, 0]);
});

test('progress comes before the answer', async () => {
  const { client } = connect();
  const steps: number[] = [];
  const answer = await client.ask('count', 3, { onProgress: (step) => steps.push(step) });
  expect([steps, answer]).toEqual([[1, 2, 3], 'counted to 3']);
});

test('what is told has happened when the next call is answered', async () => {
  const { client } = connect();
  client.tell('greet', 'Ada');
  client.tell('greet', 'Grace');
  expect(await client.ask('greetings')).toEqual(['Ada', 'Grace']);
});

test('a problem is thrown at the caller as it is, a bug with its stack', async () => {
  const { client } = connect();
  await expect(client.ask('fail', 'invalid_request')).rejects.toMatchObject({
    name: 'Problem',
    code: 'invalid_request',
    message: 'It is refused.',
    hint: 'Do not ask.',
    details: { line: 3 },
  });
  const bug = await client.ask('fail', 'bug').catch((error: Error) => error);
  expect((bug as Error).stack).toContain('TypeError: something is undefined');
});

test.each(['before', 'after'])('a call that is cancelled %s it is made ends', async (when) => {
  const { client } = connect();
  const cancelling = new AbortController();
  const cancel = (): void => cancelling.abort(new Problem('job_cancelled', 'by the caller'));
  if (when === 'before') cancel();
  const ended = client.ask('wait', undefined, { signal: cancelling.signal });
  if (when === 'after') cancel();
  await expect(ended).rejects.toMatchObject({ code: 'job_cancelled', message: 'by the caller' });
});

test('memory is handed over, both ways', async () => {
  const { client } = connect();
  const bytes = new Uint8Array([1, 2, 3]);
  const reversed = client.ask('reverse', bytes, { handOver: [bytes.buffer] });
  expect(bytes.length).toBe(0);
  expect([...(await reversed)]).toEqual([3, 2, 1]);
});

test('calls wait for the handlers, in their order', async () => {
  const opening = Promise.withResolvers<Handlers<ServerCalls>>();
  const { client } = connect(opening.promise);
  const order: number[] = [];
  const calls = [1, 2, 3].map(async (name) => {
    await client.ask('add', [name]);
    order.push(name);
  });
  opening.resolve(HANDLERS);
  await Promise.all(calls);
  expect(order).toEqual([1, 2, 3]);
});

test('calls fail with what keeps the handlers from coming', async () => {
  const { client } = connect(Promise.reject(new Problem('storage_full', 'No space is left.')));
  await expect(client.ask('add', [1])).rejects.toMatchObject({ code: 'storage_full' });
  await expect(client.ask('greetings')).rejects.toMatchObject({ code: 'storage_full' });
});

test('when the other side is gone, whoever waits and whoever asks is told', async () => {
  const { client } = connect();
  const waiting = client.ask('wait');
  client.end(new Error('the thread has ended'));
  await expect(waiting).rejects.toThrow('the thread has ended');
  await expect(client.ask('add', [1])).rejects.toThrow('the thread has ended');
  client.tell('greet', 'nobody');
});
