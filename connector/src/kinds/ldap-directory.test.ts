import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { BerReader, BerWriter } from 'ldapts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesOf, whileBound } from './ldap-directory.ts';

/** Pages that the next search answers with: names of entries; a cookie follows all but the last. */
let pages: readonly (readonly string[])[] = [];
/** Whether a cookie follows each page. */
let isEndless = false;
let searches = 0;
const server = createServer((socket) => {
  searches = 0;
  socket.on('data', (bytes) => answer(socket, bytes));
  socket.on('error', () => {});
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

const BIND = 0x60;
const SEARCH = 0x63;
const CONTROLS = 0xa0;

/** As a directory does; each request comes in one piece. */
function answer(socket: Socket, bytes: Buffer): void {
  const request = new BerReader(bytes);
  request.readSequence();
  const id = request.readInt() ?? 0;
  const operation = request.peek();
  if (operation === BIND) socket.write(done(id, 0x61));
  if (operation !== SEARCH) return;
  const page = pages[searches++] ?? [];
  for (const name of page) socket.write(entry(id, name));
  socket.write(done(id, 0x65, isEndless || searches < pages.length ? 'more' : ''));
}

function message(id: number, write: (writer: BerWriter) => void): Buffer {
  const writer = new BerWriter();
  writer.startSequence();
  writer.writeInt(id);
  write(writer);
  writer.endSequence();
  return writer.buffer;
}

function entry(id: number, name: string): Buffer {
  return message(id, (writer) => {
    writer.startSequence(0x64);
    writer.writeString(name);
    writer.startSequence();
    writer.endSequence();
    writer.endSequence();
  });
}

function done(id: number, tag: number, cookie?: string): Buffer {
  return message(id, (writer) => {
    writer.startSequence(tag);
    writer.writeEnumeration(0);
    writer.writeString('');
    writer.writeString('');
    writer.endSequence();
    if (cookie === undefined) return;
    const page = new BerWriter();
    page.startSequence();
    page.writeInt(0);
    page.writeString(cookie);
    page.endSequence();
    writer.startSequence(CONTROLS);
    writer.startSequence();
    writer.writeString('1.2.840.113556.1.4.319');
    writer.writeBuffer(page.buffer, 0x04);
    writer.endSequence();
    writer.endSequence();
  });
}

async function found(): Promise<string[]> {
  const source = {
    kind: 'ldap',
    url: `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tls: false,
    user: null,
    base: 'dc=x',
    people: '(cn=*)',
    groups: null,
    login: null,
    team: null,
  } as const;
  const context = {
    fetch,
    secret: undefined,
    files: { replace: async () => {} },
    log: () => {},
    signal: undefined,
    isFull: false,
    nowMs: () => 0,
  };
  return whileBound(source, context, async (directory) => {
    const names: string[] = [];
    for await (const { dn } of entriesOf(directory, source, '(cn=*)', ['cn'])) names.push(dn);
    return names;
  });
}

test('a page without entries does not end a search that goes on', async () => {
  pages = [['cn=a,dc=x', 'cn=b,dc=x'], [], [], ['cn=c,dc=x']];
  expect(await found()).toEqual(['cn=a,dc=x', 'cn=b,dc=x', 'cn=c,dc=x']);
  pages = [[], ['cn=a,dc=x']];
  expect(await found()).toEqual(['cn=a,dc=x']);
  pages = [[]];
  expect(await found()).toEqual([]);
});

test('a search that never ends is ended', async () => {
  isEndless = true;
  pages = [];
  await expect(found()).rejects.toMatchObject({ code: 'source_failed' });
  isEndless = false;
});
