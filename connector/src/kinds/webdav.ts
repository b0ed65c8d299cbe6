import type { WebdavSource } from '@trellis/contract/shapes/connector.ts';
import { bringTree, type TreeNames } from './file-tree.ts';
import type { ConnectorKind } from './source-context.ts';
import { DavAccess } from './webdav-access.ts';
import { type DavEntry, DavServer, folderAddress, segmentsOf } from './webdav-server.ts';

const NAMES: TreeNames = {
  folder: 'DavFolder',
  file: 'DavFile',
  inside: 'DavIn',
  has: 'DavHas',
};

export const webdavKind: ConnectorKind<WebdavSource> = {
  async test(source, context) {
    const server = new DavServer(source, context);
    const [root, ...entries] = (await server.list(server.root)) ?? [];
    if (root !== undefined) await new DavAccess(source, server).readersOf(root);
    const folders = entries.filter(({ isFolder }) => isFolder).length;
    return `A folder with ${folders} folders and ${entries.length - folders} files right in it`;
  },
  async run(source, target, context) {
    const server = new DavServer(source, context);
    const access = new DavAccess(source, server);
    const base = folderAddress(source.url);
    const { fileBytesMax } = source;
    const tree = {
      root: server.root,
      placeOf: ({ path, address }: DavEntry) => ({ path, address }),
      list: server.list.bind(server),
      content: server.content.bind(server),
      readersOf: access.readersOf.bind(access),
      unusedRules: () => access.unusedRules(),
    };
    const place = [base.host, ...segmentsOf(base.href)].join('/');
    const settings = { name: `webdav ${source.url}`, names: NAMES, place, fileBytesMax };
    return bringTree(tree, settings, target, context);
  },
};
