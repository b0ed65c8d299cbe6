import type { ConnectorSource } from '@trellis/contract/shapes/connector.ts';
import type { ConnectorReport } from '../run-connector.ts';
import { csvKind } from './csv.ts';
import { folderKind } from './folder.ts';
import { gitKind } from './git.ts';
import { imapKind } from './imap.ts';
import { ldapKind } from './ldap.ts';
import { postgresKind } from './postgres.ts';
import type { KindTarget, SourceContext } from './source-context.ts';
import { webdavKind } from './webdav.ts';

/** Reaches a source of any kind, and says what it has found. */
export function testSource(source: ConnectorSource, context: SourceContext): Promise<string> {
  switch (source.kind) {
    case 'csv':
      return csvKind.test(source, context);
    case 'folder':
      return folderKind.test(source, context);
    case 'postgres':
      return postgresKind.test(source, context);
    case 'git':
      return gitKind.test(source, context);
    case 'imap':
      return imapKind.test(source, context);
    case 'ldap':
      return ldapKind.test(source, context);
    case 'webdav':
      return webdavKind.test(source, context);
  }
}

/** Brings a source of any kind into a workspace. */
export function runSource(
  source: ConnectorSource,
  target: KindTarget,
  context: SourceContext,
): Promise<ConnectorReport> {
  switch (source.kind) {
    case 'csv':
      return csvKind.run(source, target, context);
    case 'folder':
      return folderKind.run(source, target, context);
    case 'postgres':
      return postgresKind.run(source, target, context);
    case 'git':
      return gitKind.run(source, target, context);
    case 'imap':
      return imapKind.run(source, target, context);
    case 'ldap':
      return ldapKind.run(source, target, context);
    case 'webdav':
      return webdavKind.run(source, target, context);
  }
}
