import { createHash, createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock, systemTimers } from '#base/clock.ts';
import { S3_BUCKET, startS3Server, type S3Server } from '../../../test/support/s3-server.ts';
import type { S3Place } from './s3-client.ts';
import { S3Target, type S3TargetOptions } from './s3-target.ts';

let server: S3Server;
beforeAll(async () => void (server = await startS3Server('')));
afterAll(() => server[Symbol.asyncDispose]());

function open(options: Partial<S3TargetOptions & S3Place> = {}): S3Target {
  const { bucket = S3_BUCKET, prefix = '', endpoint = server.url } = options;
  return new S3Target({
    place: { bucket, prefix, endpoint, region: 'us-east-1' },
    accessKey: 'S3RVER',
    secretKey: 'S3RVER',
    clock: systemClock,
    timers: systemTimers,
    newHolder: randomUUID,
    fetch,
    pause: () => Promise.resolve(),
    ...options,
  });
}

it('writes, reads, lists and removes, below its prefix alone', async () => {
  const whole = open();
  const target = open({ prefix: 'a/workspace_1' });
  expect(target.name).toBe(`s3://${S3_BUCKET}/a/workspace_1`);
  expect(await target.list('pieces')).toEqual([]);
  const bytes = Buffer.alloc(3_000_000, 7);
  await target.write('pieces/00/x-1.json', [
    bytes.subarray(0, 1_000_000),
    bytes.subarray(1_000_000),
  ]);
  await target.write('pieces/01/y', []);
  await target.write('piecesbeside', [bytes.subarray(0, 1)]);
  const listed = [...(await target.list('pieces'))].toSorted(
    (one, other) => one.bytes - other.bytes,
  );
  expect(listed).toEqual([
    { path: 'pieces/01/y', bytes: 0 },
    { path: 'pieces/00/x-1.json', bytes: bytes.length },
  ]);
  expect(Buffer.from((await target.read('pieces/00/x-1.json'))!).equals(bytes)).toBe(true);
  expect((await whole.list('a')).length).toBe(3);
  await target.write('pieces/01/y', [Buffer.from('anew')]);
  expect(String(Buffer.from((await target.read('pieces/01/y'))!))).toBe('anew');
  await target.remove('pieces/01/y');
  await target.remove('pieces/01/y');
  expect(await target.read('pieces/01/y')).toBeUndefined();
});

it('tells of a bucket that is not there, and a store that does not answer', async () => {
  const failed = { code: 'backup_target_failed' };
  const nowhere = open({ bucket: 'no-such-bucket' });
  await expect(nowhere.list('pieces')).rejects.toMatchObject(failed);
  await expect(nowhere.read('x')).rejects.toMatchObject(failed);
  await expect(open({ endpoint: 'http://127.0.0.1:1' }).read('x')).rejects.toMatchObject(failed);
});

it('tries again what may pass, and no more often than it should', async () => {
  const answers = [503, 'reset', 429, 200, 500, 500, 500, 500, 500] as const;
  let seen = 0;
  await using flaky = await startScripted((request, _body, response) => {
    const answer = answers[seen++] ?? 200;
    if (answer === 'reset') request.socket.destroy();
    else response.writeHead(answer).end();
  });
  const pauses: number[] = [];
  const target = open({ endpoint: flaky.url, pause: async (ms) => void pauses.push(ms) });
  await target.write('x', [Buffer.from('x')]);
  expect([seen, pauses]).toEqual([4, [250, 500, 1_000]]);
  await expect(target.read('x')).rejects.toMatchObject({ message: expect.stringContaining('500') });
  expect(seen).toBe(9);
});

it('goes on where a listing was cut, and reads names as XML writes them', async () => {
  const page = (keys: readonly string[], next: string): string =>
    `<?xml version="1.0"?><ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>` +
    keys.map((key) => `<Contents><Key>${key}</Key><Size>5</Size></Contents>`).join('') +
    `<NextContinuationToken>${next}</NextContinuationToken></ListBucketResult>`;
  const asked: (string | null)[] = [];
  await using cut = await startScripted((request, _body, response) => {
    const token = new URL(request.url!, cut.url).searchParams.get('continuation-token');
    asked.push(token);
    response.end(
      token === null ? page(['log/a', 'log/&#x62;'], 'n&amp;x/1=') : page(['log/c'], ''),
    );
  });
  const listed = await open({ endpoint: cut.url }).list('log');
  expect(listed.map(({ path }) => path)).toEqual(['log/a', 'log/b', 'log/c']);
  expect(asked).toEqual([null, 'n&x/1=']);
});

it('signs every request as version 4 says, its body included', async () => {
  const objects = new Map<string, Buffer>();
  await using strict = await startScripted((request, body, response) => {
    if (!isSigned(request, body, 'the secret')) {
      response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
      return;
    }
    if (request.method === 'PUT') objects.set(request.url!, body);
    const found = request.url!.includes('list-type')
      ? '<ListBucketResult/>'
      : objects.get(request.url!);
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
  const target = open({ endpoint: strict.url, secretKey: 'the secret', prefix: 'p' });
  await target.write('pieces/00/a_b.c-d', [Buffer.from('content')]);
  expect(String(Buffer.from((await target.read('pieces/00/a_b.c-d'))!))).toBe('content');
  expect(await target.list('pieces')).toEqual([]);
  const wrong = open({ endpoint: strict.url, secretKey: 'another secret' });
  const message = expect.stringContaining('403 SignatureDoesNotMatch');
  const refusal = { code: 'backup_target_failed', message };
  await expect(wrong.write('x', [])).rejects.toMatchObject(refusal);
  await expect(wrong.read('x')).rejects.toMatchObject(refusal);
});

type Script = (request: IncomingMessage, body: Buffer, response: ServerResponse) => void;

async function startScripted(script: Script) {
  const listener = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => script(request, Buffer.concat(parts), response));
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      listener.closeAllConnections();
      listener.close();
    },
  };
}

/**
 * What Amazon's description of signature version 4 has a server compute, written down once more:
 * the tested client has its own.
 */
function isSigned(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  secret: string,
): boolean {
  const [, scope = '', names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(.*), SignedHeaders=(.*), Signature=(.*)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
  const { pathname, searchParams } = new URL(url!, 'http://x');
  searchParams.sort();
  const query = [...searchParams]
    .map((pair) => pair.map((text) => encodeURIComponent(text)).join('='))
    .join('&');
  const signed = names.split(';').map((name) => `${name}:${String(headers[name])}\n`);
  const canonical = [method, pathname, query, signed.join(''), names, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const hmac = (key: string | Buffer, data: string): Buffer =>
    createHmac('sha256', key).update(data).digest();
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return names.includes('host') && hmac(key, text).toString('hex') === signature;
}
