import { allowedFetch } from '@trellis/connector/kinds/allowed-fetch.ts';
import { runSource, testSource } from '@trellis/connector/kinds/all-kinds.ts';
import type { SourceContext } from '@trellis/connector/kinds/source-context.ts';
import { readAccess } from '@trellis/connector/read-access.ts';
import type { ConnectorClient } from '@trellis/connector/connector-client.ts';
import { refusalCode, workspaceRefusal } from '@trellis/connector/workspace-refusal.ts';
import { errorCatalogue, errorCodeOf } from '@trellis/contract/errors.ts';
import {
  CONNECTOR_MESSAGE_CHARACTERS_MAX,
  CONNECTOR_SOURCE_BYTES_MAX,
} from '#base/connector-limits.ts';
import { Problem } from '#base/problem.ts';
import type { AskedSource } from '#connectors/connector.ts';
import { fetchFault } from '#base/outbound.ts';
import { serve } from '../threads/thread.ts';
import type { SourceCalls, WorkspaceCalls } from './source-calls.ts';

/** The thread that reads a source: by the code that the SDK has for programs. */
const server = serve<WorkspaceCalls, SourceCalls>(() => ({
  test: (asked) => told(asked, () => testSource(asked.source, contextOf(asked, false))),
  run: (asked) =>
    told(asked, () => {
      const { source, state, stateSecret, isFull } = asked;
      const target = {
        client: new ServerClient(),
        state,
        stateSecret,
        onInvalidRow: 'skip',
        // Whoever asks for everything wants the workspace to say what the source says.
        removedShareMax: isFull ? 1 : undefined,
      } as const;
      return runSource(source, target, contextOf(asked, isFull));
    }),
  access: (asked) => told({ secret: null }, async () => readAccess(asked, asked)),
}));

function contextOf({ secret, reach }: AskedSource, isFull: boolean): SourceContext {
  const { origins, disk } = reach;
  return {
    fetch: allowedFetch(origins, CONNECTOR_SOURCE_BYTES_MAX),
    disk: disk === null ? undefined : { path: disk, bytesMax: CONNECTOR_SOURCE_BYTES_MAX },
    secret: secret ?? undefined,
    log: (text) => server.tell('log', masked(text, secret)),
    files: {
      replace: async (node, name, content) => {
        const bytes = new Uint8Array(await content.arrayBuffer());
        await refusing(() => server.ask('replaceFile', { node, name, bytes }));
      },
    },
    // To cancel a run ends the process.
    signal: undefined,
    isFull,
    nowMs: () => Date.now(),
  };
}

/** The workspace as a connector knows it, of what the server does for this process. */
class ServerClient implements ConnectorClient {
  /** Its state lies beside the workspace's own, and is not moved to another. */
  readonly baseUrl = new URL('trellis:workspace');
  lastWriteSequence = 0;

  readonly schema: ConnectorClient['schema'] = {
    put: async (schema) => {
      this.lastWriteSequence = await refusing(() => server.ask('putSchema', schema));
      return schema;
    },
  };

  readonly graph: ConnectorClient['graph'] = {
    ingest: async (operations) => {
      const summary = await refusing(() => server.ask('ingest', [...operations]));
      this.lastWriteSequence = summary.sequence;
      return summary;
    },
  };

  readonly access: ConnectorClient['access'] = {
    resolvePrincipals: ({ teams = [], users = [] }) =>
      refusing(() => server.ask('resolvePrincipals', { teams, users })),
  };
}

/** What the server refuses is refused as over HTTP. */
async function refusing<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, message, hint, details } = error;
    const { status } = errorCatalogue[code];
    throw workspaceRefusal(message, { status, code, hint, details, cause: error });
  }
}

/** Whatever goes wrong while a source is read is told of the source, without its secret. */
async function told<T>(
  { secret }: Pick<AskedSource, 'secret'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = errorCodeOf(refusalCode(error) ?? '', 'connector_failed');
    throw new Problem(code, masked(messageOf(error), secret));
  }
}

function messageOf(error: unknown): string {
  const message = fetchFault(error);
  return message === '' && error instanceof AggregateError
    ? error.errors.map(fetchFault).join('; ')
    : message;
}

function masked(text: string, secret: string | null): string {
  const shown = secret === null ? text : text.replaceAll(secret, '***');
  return shown.slice(0, CONNECTOR_MESSAGE_CHARACTERS_MAX).toWellFormed();
}
