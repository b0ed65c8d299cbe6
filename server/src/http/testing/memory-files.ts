import { Problem } from '#base/problem.ts';
import type { HttpServices } from '../services.ts';

const ENTRY = { UID: '2', Size: 3, ContentType: 'text/html', Name: 'words.html' } as const;
const FILE = {
  ...ENTRY,
  Sha256: 'a'.repeat(64),
  Timestamp: '2026-11-20T00:00:00.000Z',
  UploadedBy: null,
  TextState: 'pending',
  TextError: null,
} as const;
const UPLOAD = {
  id: '1',
  offset: 0,
  size: 3,
  name: ENTRY.Name,
  contentType: ENTRY.ContentType,
  expiresAt: '2026-11-21T00:00:00.000Z',
  file: null,
} as const;

/** One file of three bytes, "dog", and one upload, which takes anything. */
export function memoryFiles(): HttpServices['nodeFiles'] {
  const open = (uid: string) => {
    if (uid !== FILE.UID) throw new Problem('file_not_found', 'There is no such file.');
    return FILE;
  };
  return {
    list: (_caller, _node, page) => ({ items: [FILE], total: 1, ...page }),
    get: (_caller, uid) => open(uid),
    open: (_caller, uid) => ({ file: open(uid), read: bytesOfDog }),
    delete: async () => {},
    checkTarget: () => {},
    upload: () => ({ write: async () => {}, end: async () => ENTRY, abort: async () => {} }),
    beginUpload: async () => UPLOAD,
    getUpload: () => UPLOAD,
    append: async (_sender, _id, offset, bytes) => {
      let end = offset;
      for await (const { length } of bytes) end += length;
      return { ...UPLOAD, offset: end };
    },
    deleteUpload: async () => {},
  };
}

async function* bytesOfDog(from: number, to: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('dog').subarray(from, to);
}
