import { expect, it } from 'vitest';
import type { WebdavSource } from '@trellis/contract/shapes/connector.ts';
import { DavAccess } from './webdav-access.ts';
import { DavServer } from './webdav-server.ts';

const source: WebdavSource = {
  kind: 'webdav',
  url: 'https://files.example/docs',
  user: null,
  fileBytesMax: 0,
  access: 'rules',
  rules: [
    { path: '/', teams: ['all'], users: [] },
    { path: '/F\u00fchrung', teams: ['board'], users: [] },
    { path: '/Caf\u0065\u0301', teams: ['cooks'], users: [] },
  ],
};
const access = new DavAccess(
  source,
  new DavServer(source, {
    fetch,
    secret: undefined,
    log: () => {},
    signal: undefined,
    isFull: false,
    nowMs: Date.now,
    files: { replace: () => Promise.reject(new Error('nothing is sent')) },
  }),
);
const teamsOf = async (path: string): Promise<readonly string[]> => {
  const entry = { path, isFolder: false, address: '', version: '', bytes: 0, modified: undefined };
  const readers = await access.readersOf({ ...entry, contentType: '', acl: undefined, owner: '' });
  return readers.groups;
};

it('finds the rule of a folder whose letters the server writes in another way', async () => {
  expect(await teamsOf('F\u00fchrung/plan.txt')).toEqual(['board']);
  expect(await teamsOf('Fu\u0308hrung/plan.txt')).toEqual(['board']);
  expect(await teamsOf('Caf\u00e9/menu.txt')).toEqual(['cooks']);
  expect(await teamsOf('Fuhrung/plan.txt')).toEqual(['all']);
});
